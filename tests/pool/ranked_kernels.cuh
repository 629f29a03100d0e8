// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {

/// A tree whose tasks have keys: node n has the children 4 n + 1 to 4 n + 4, each with a key of 0
/// to `spread` - 1 more than its parent. Tasks note in which order they run.
struct ranked_tree {
  array_ref<std::uint32_t> order;  ///< the nodes, as they run
  array_ref<std::uint32_t> run;    ///< how many have run
  std::uint32_t nodes, spread;

  BALLAST_HD std::uint32_t step_to(std::uint32_t node) const { return mixed(node + 77) % spread; }
};

template <int Threads>
struct ranked_node {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 4;

  ranked_tree tree;
  std::uint32_t node, rank;

  BALLAST_HD std::uint32_t order_key() const { return rank; }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    tree.order[device_atomic<std::uint32_t>(tree.run[0]).add_relaxed(1)] = node;
    for (std::uint32_t child = 4 * node + 1; child <= 4 * node + 4; ++child)
      if (child < tree.nodes) block.spawn(ranked_node{tree, child, rank + tree.step_to(child)});
  }
};

/// As ranked_node, but the children of a node are the blocks of one task, which has the key of the first.
struct ranked_family {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;

  ranked_tree tree;
  std::uint32_t rank;

  BALLAST_HD std::uint32_t order_key() const { return rank; }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    std::uint32_t const node = block.index(), first = 4 * node + 1;
    tree.order[device_atomic<std::uint32_t>(tree.run[0]).add_relaxed(1)] = node;
    if (first >= tree.nodes) return;
    std::uint32_t const children = tree.nodes - first < 4 ? tree.nodes - first : 4;
    block.spawn(ranked_family{tree, rank + tree.step_to(first)}, {first, children});
  }
};

kernel_set const& ranked_kernels_of_warps();  ///< compiled for the default methods
kernel_set const& ranked_kernels_of_threads();
kernel_set const& ranked_kernels_over_devices();
kernel_set const& ranked_families();

}  // namespace ballast::test
