// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_POOL_KERNELS_WITH_METHODS(fibonacci_kernels, fibonacci_call, fibonacci_sum)

BALLAST_POOL_KERNELS(tree_kernels_32, loaded_node<32>)
BALLAST_POOL_KERNELS(tree_kernels_64, loaded_node<64>)
BALLAST_POOL_KERNELS(tree_kernels_128, loaded_node<128>)
BALLAST_POOL_KERNELS(tree_kernels_256, loaded_node<256>)

}  // namespace ballast::bench
