// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#if !BALLAST_ON_GPU
#  include <thread>
#endif

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"

namespace ballast::test {

/// A tree in which each node above the leaves has as many children as the root. Each counts itself in the
/// memory of the rank that executes it.
struct tree {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 8;
  std::uint32_t children, levels;  ///< at most 8; of the tree below, 0 of a leaf
  std::uint32_t* nodes;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) atomic_ref<std::uint32_t, scope::system>(*nodes).add_relaxed(1);
    block.for_each(levels == 0 ? 0 : children, [&](std::uint32_t) {
      block.spawn(tree{children, levels - 1, nodes});
    });
  }
};

/// The same, and says in its result how many nodes it has.
struct counted_tree {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 8;
  std::uint32_t children, levels;
  bool is_root;
  result_ref<std::uint32_t> nodes;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      atomic_ref<std::uint32_t, scope::system> const count(nodes.get());
      is_root ? count.store_relaxed(1) : void(count.add_relaxed(1));
    }
    block.sync();
    block.for_each(levels == 0 ? 0 : children, [&](std::uint32_t) {
      block.spawn(counted_tree{children, levels - 1, false, nodes});
    });
  }
};

/// A tree whose root says in gate[1] that it has begun, and waits until *gate is not zero.
struct tree_at_gate {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 1;
  std::uint32_t* gate;
  tree behind;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(gate);
    visit(behind.nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::system>(gate[1]).add_release(1);
    while (atomic_ref<std::uint32_t, scope::system>(*gate).load_acquire() == 0) {
#if !BALLAST_ON_GPU
      std::this_thread::yield();
#endif
    }
    block.spawn(behind);
  }
};

/// Tasks that go on as others like them until *gate is not zero where they are, in several threads.
struct patient {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 4;
  std::uint32_t others;
  std::uint32_t* gate;
  std::uint32_t* nodes;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(gate);
    visit(nodes);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::system>(*nodes).add_relaxed(1);
    if (atomic_ref<std::uint32_t, scope::system>(*gate).load_acquire() != 0) return;
    for (std::uint32_t i = 0; i <= others; ++i) block.spawn(patient{0, gate, nodes});
  }
};

/// A tree that may be executed again.
struct repeatable_tree {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 8;
  static constexpr bool repeatable = true;
  static constexpr bool travels_by_value = true;
  std::uint32_t children, levels;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(levels == 0 ? 0 : children, [&](std::uint32_t) {
      block.spawn(repeatable_tree{children, levels - 1});
    });
  }
};

constexpr std::uint32_t nodes_of(std::uint32_t children, std::uint32_t levels) {
  std::uint32_t nodes = 1;
  for (std::uint32_t level = 0; level < levels; ++level) nodes = nodes * children + 1;
  return nodes;
}

/// tree, counted_tree, tree_at_gate, patient, and uts_node.
kernel_set const& tree_kernels();
/// repeatable_tree.
kernel_set const& repeatable_tree_kernels();
/// repeatable_tree, and one that is not.
kernel_set const& partly_repeatable_tree_kernels();
/// A kernel that makes joins.
kernel_set const& joining_cluster_kernels();

}  // namespace ballast::test
