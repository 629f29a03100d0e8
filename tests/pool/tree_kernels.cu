// SPDX-License-Identifier: Apache-2.0
#include "tree_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_POOL_KERNELS_WITH_METHODS(tree_kernels_of_blocks, tree_node<64>, wide_root<64>, sower<64>)
BALLAST_POOL_KERNELS_WITH_METHODS(tree_kernels_of_warps, tree_node<32>, wide_root<32>, sower<32>)
BALLAST_POOL_KERNELS_WITH_METHODS(tree_kernels_of_threads, tree_node<1>, wide_root<1>, sower<1>)
BALLAST_POOL_KERNELS_WITH_METHODS(joining_kernels_of_blocks, fibonacci<64>, fibonacci_sum<64>, nested)
BALLAST_POOL_KERNELS_WITH_METHODS(joining_kernels_of_threads, fibonacci<1>, fibonacci_sum<1>)
BALLAST_POOL_KERNELS_WITH_METHODS(stray_kernels, stray, idler)
BALLAST_POOL_KERNELS_WITH_METHODS(overjoining_kernels, overjoiner, fibonacci_sum<64>)
BALLAST_POOL_KERNELS_WITH_METHODS(gated_kernels, gated, idler)
BALLAST_POOL_KERNELS_WITH_METHODS(lying_kernels, liar, idler)
BALLAST_POOL_KERNELS(kernels_of_the_default_method, idler, adder)
BALLAST_POOL_KERNELS_WITH_METHODS(faulty_kernels, faulty, idler)
BALLAST_POOL_KERNELS_WITH_METHODS(entered_kernels_of_blocks, entered_node<64>, entered<64>)
BALLAST_POOL_KERNELS_WITH_METHODS(entered_kernels_of_warps, entered_node<32>, entered<32>)
BALLAST_POOL_KERNELS_WITH_METHODS(entered_kernels_of_threads, entered_node<1>, entered<1>)

}  // namespace ballast::test
