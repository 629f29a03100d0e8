// SPDX-License-Identifier: Apache-2.0
#include "tree_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"
#include "uts.cuh"

namespace ballast::test {

struct join_two {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2, joins = 1;
  static constexpr bool travels_by_value = true;
  std::uint32_t depth;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(depth == 0 ? 0 : 2, [&](std::uint32_t) { block.spawn(join_two{depth - 1}); });
  }
};

struct plain_leaf {
  static constexpr int threads = 64;
  static constexpr bool travels_by_value = true;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

BALLAST_KERNELS(tree_kernels, ballast::for_queues, tree, counted_tree, tree_at_gate, patient, uts_node)
BALLAST_KERNELS(repeatable_tree_kernels, ballast::for_queues, repeatable_tree)
BALLAST_KERNELS(partly_repeatable_tree_kernels, ballast::for_queues, repeatable_tree, plain_leaf)
BALLAST_KERNELS(joining_cluster_kernels, ballast::for_queues, join_two)

}  // namespace ballast::test
