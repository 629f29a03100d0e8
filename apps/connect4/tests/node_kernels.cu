// SPDX-License-Identifier: Apache-2.0
#include "node_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::connect4 {

BALLAST_KERNELS(node_kernels, ballast::for_jobs, examine_nodes)

}  // namespace ballast::connect4
