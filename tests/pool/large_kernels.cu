// SPDX-License-Identifier: Apache-2.0
#include "large_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(large_roots_of_blocks, ballast::for_pool_methods, large_root<64>, large_root_leaf<64>,
                large_root_end<64>)
BALLAST_KERNELS(large_roots_of_threads, ballast::for_pool_methods, large_root<1>, large_root_leaf<1>,
                large_root_end<1>)
BALLAST_KERNELS(gated_large_roots, ballast::for_pool_methods, gated_large_root)

}  // namespace ballast::test
