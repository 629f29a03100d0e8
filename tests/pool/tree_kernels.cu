// SPDX-License-Identifier: Apache-2.0
#include "tree_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::test {
using namespace detail;

namespace {

/// Each method, and pools over several devices.
struct for_every_pool {
  static constexpr bool keeps_tasks = true;
  template <bool KeepsTasks, class... K>
  static void compile(compiled_code& into) {
    for_pool_methods::compile<KeepsTasks, K...>(into);
    into.entries.push_back(make_pool_entry<pool_list<K...>, chunks_ref, peer_view>());
  }
};

}  // namespace

BALLAST_KERNELS(tree_kernels_of_blocks, for_every_pool, tree_node<64>, wide_root<64>, sower<64>)
BALLAST_KERNELS(tree_kernels_of_warps, for_every_pool, tree_node<32>, wide_root<32>, sower<32>)
BALLAST_KERNELS(tree_kernels_of_threads, for_every_pool, tree_node<1>, wide_root<1>, sower<1>)
BALLAST_KERNELS(joining_kernels_of_blocks, for_every_pool, fibonacci<64>, fibonacci_sum<64>, nested)
BALLAST_KERNELS(joining_kernels_of_threads, ballast::for_pool_methods, fibonacci<1>, fibonacci_sum<1>)
BALLAST_KERNELS(stray_kernels, ballast::for_pool_methods, stray, idler)
BALLAST_KERNELS(overjoining_kernels, ballast::for_pool_methods, overjoiner, fibonacci_sum<64>)
BALLAST_KERNELS(gated_kernels, ballast::for_pool_methods, gated, idler)
BALLAST_KERNELS(lying_kernels, ballast::for_pool_methods, liar, idler)
BALLAST_KERNELS(kernels_of_the_default_method, ballast::for_pools, idler, adder)
BALLAST_KERNELS(faulty_kernels, for_every_pool, faulty, idler)
BALLAST_KERNELS(entered_kernels_of_blocks, ballast::for_pool_methods, entered_node<64>, entered<64>)
BALLAST_KERNELS(entered_kernels_of_warps, ballast::for_pool_methods, entered_node<32>, entered<32>)
BALLAST_KERNELS(entered_kernels_of_threads, ballast::for_pool_methods, entered_node<1>, entered<1>)

}  // namespace ballast::test
