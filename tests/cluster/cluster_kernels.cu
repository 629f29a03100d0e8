// SPDX-License-Identifier: Apache-2.0
#include "cluster_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(cluster_kernels, square)

}  // namespace ballast::test
