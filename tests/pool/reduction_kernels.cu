// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.hpp"

#include "ballast/pool_kernels.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_POOL_KERNELS(reducing_kernels_of_blocks, reduce_cases<64>)
BALLAST_POOL_KERNELS(reducing_kernels_of_warps, reduce_cases<32>)
BALLAST_POOL_KERNELS(reducing_kernels_of_threads, reduce_cases<1>)

}  // namespace ballast::test
