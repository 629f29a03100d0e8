// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(fibonacci_kernels, ballast::for_pool_methods, fibonacci_call, fibonacci_sum)

BALLAST_KERNELS(range_kernels, ballast::for_pool_methods, range_task)

BALLAST_KERNELS(tree_kernels_32, ballast::for_pools, loaded_node<32>)
BALLAST_KERNELS(tree_kernels_64, ballast::for_pools, loaded_node<64>)
BALLAST_KERNELS(tree_kernels_128, ballast::for_pools, loaded_node<128>)
BALLAST_KERNELS(tree_kernels_256, ballast::for_pools, loaded_node<256>)

}  // namespace ballast::bench
