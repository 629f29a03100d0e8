// SPDX-License-Identifier: Apache-2.0
#include "job/empty_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(empty_kernels, ballast::for_jobs, empty_block)

}  // namespace ballast::bench
