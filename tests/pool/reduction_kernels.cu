// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.hpp"

#include "ballast/detail/pool/compile_pool.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_KERNELS(reducing_kernels_of_blocks, ballast::for_pools, reduce_cases<64>)
BALLAST_KERNELS(reducing_kernels_of_warps, ballast::for_pools, reduce_cases<32>)
BALLAST_KERNELS(reducing_kernels_of_threads, ballast::for_pools, reduce_cases<1>)

}  // namespace ballast::test
