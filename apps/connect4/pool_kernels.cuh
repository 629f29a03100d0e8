// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/join.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "node.cuh"

namespace ballast::connect4 {

/// Converts a score to the value of a join, which is unsigned.
BALLAST_HD constexpr std::uint64_t joined(score of) { return static_cast<std::uint64_t>(of + 2 * win); }
BALLAST_HD constexpr score of_joined(std::uint64_t value) { return static_cast<score>(value) - 2 * win; }

/// The receiver of a node's value: the parent's join, or at level 1 the word of its column.
struct node_parent {
  array_ref<score> columns;
  join_handle join;

  /// Reports the value of the node at `path`.
  template <class Block>
  BALLAST_HD void report(Block& block, move_path const& path, score value) const {
    if (!join) {
      columns[static_cast<std::size_t>(path.column(0))] = value;
      return;
    }
    auto const word = block.value_of(join);
    max_moves_at(path.level() - 1) ? word.store_max(joined(value)) : word.store_min(joined(value));
    block.finish(join);
  }
};

/// Reports a node's value. Runs when every child of the node has its value.
template <int Threads>
struct node_value {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 1;

  move_path path;
  node_parent parent;
  join_handle join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) parent.report(block, path, of_joined(block.take_value(join)));
  }
};

/// How the threads of a node learn the join that one of them has made.
struct shared_join {
  join_handle join;
};

/// A node of the tree as a task, as in the paper: its level, the moves of its ancestors, and its parent. The
/// task also holds the node's board, which fits, so that it need not be rebuilt. A node either has a value at
/// once, or its task creates a task for each child: one of its threads makes the join, and seven threads
/// create a child each.
template <int Threads>
struct node_task {
  static constexpr int threads = Threads, blocks_per_multiprocessor = Threads <= 32 ? 32 : 1024 / Threads;
  static constexpr std::uint32_t spawns = columns, joins = 1;
  using scratch = std::conditional_t<Threads == 1, detail::no_scratch, shared_join>;

  board at;
  move_path path;
  array_ref<score> columns_of_root;
  join_handle parent;
  std::uint8_t lookahead;
  heuristic rule;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    // Each thread computes the node's kind itself, at the same time: receiving it from another thread would
    // need a wait.
    auto const kind = kind_of(at, path.level(), lookahead, rule);
    if (!kind.is_leaf) return create_children(block);
    if (block.rank() == 0) node_parent{columns_of_root, parent}.report(block, path, kind.value);
  }

 private:
  template <class Block>
  BALLAST_HD void create_children(Block& block) const {
    cells landing = landing_cells(at);
    if constexpr (Threads == 1) {
      auto const join = join_of_children(block, landing);
      for (; landing != 0; landing &= landing - 1)
        create_child(block, column_of(landing), lowest(landing), join);
    } else {
      if (block.rank() == 0) block.scratch().join = join_of_children(block, landing);
      block.sync();
      block.for_each(columns, [&](std::uint32_t i) {
        auto const column = static_cast<int>(i);
        if (cells const cell = landing & cells_of_column(column); cell != 0)
          create_child(block, column, cell, block.scratch().join);
      });
    }
  }
  template <class Block>
  BALLAST_HD join_handle join_of_children(Block& block, cells landing) const {
    node_value<Threads> const value{path, {columns_of_root, parent}, {}};
    return block.fork(value, static_cast<std::uint32_t>(count(landing)), joined(worst_at(path.level())));
  }
  template <class Block>
  BALLAST_HD void create_child(Block& block, int column, cells cell, join_handle join) const {
    block.spawn(node_task{with_disc(at, cell, max_moves_at(path.level())), path.then(column), columns_of_root,
                          join, lookahead, rule});
  }
};
static_assert(sizeof(node_task<1>) == 40 && sizeof(node_task<64>) == 40);

kernel_set const& pool_kernels_of_threads();    ///< 1 thread
kernel_set const& pool_kernels_of_warps();      ///< 32 threads
kernel_set const& pool_kernels_of_blocks();     ///< 64 threads
kernel_set const& pool_kernels_over_devices();  ///< 1 thread, for a pool over several devices by `chunks`

}  // namespace ballast::connect4
