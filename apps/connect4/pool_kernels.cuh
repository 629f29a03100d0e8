// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device/array_ref.cuh"
#include "ballast/pool/join.cuh"
#include "ballast/resident/compiled_kernels.hpp"
#include "move_path.cuh"

namespace ballast::connect4 {

/// Scores as the value of a join, which has no sign.
BALLAST_HD constexpr std::uint64_t joined(score of) { return static_cast<std::uint64_t>(of + 2 * win); }
BALLAST_HD constexpr score of_joined(std::uint64_t value) { return static_cast<score>(value) - 2 * win; }

/// Who waits for a node's value: the parent's join, or at level 1 the word of its column.
struct node_parent {
  array_ref<score> columns;
  join_handle join;

  /// The node at `path` has a value.
  template <class Block>
  BALLAST_HD void tell(Block& block, move_path const& path, score value) const {
    if (!join) {
      columns[static_cast<std::size_t>(path.column(0))] = value;
      return;
    }
    auto const word = block.value_of(join);
    max_moves_at(path.level() - 1) ? word.raise_to(joined(value)) : word.lower_to(joined(value));
    block.finish(join);
  }
};

/// Every child of a node has its value.
struct node_value {
  static constexpr int threads = 1;
  static constexpr std::uint32_t spawns = 1;

  move_path path;
  node_parent parent;
  join_handle join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    parent.tell(block, path, of_joined(block.take_value(join)));
  }
};

/// A node of the tree as a task, as the paper has it: its level and the moves of its ancestors, its parent;
/// and its board, for which there is room too, so that nobody makes it again. It has a value at once, or it
/// creates a task for each of its children.
struct node_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = columns, joins = 1;

  board at;
  move_path path;
  array_ref<score> columns_of_root;
  join_handle parent;
  std::uint8_t lookahead;
  heuristic rule;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    int const level = path.level();
    auto const kind = kind_of(at, level, lookahead, rule);
    node_parent const waits{columns_of_root, parent};
    if (kind.is_leaf) return waits.tell(block, path, kind.value);
    cells landing = landing_cells(at);
    auto const children = static_cast<std::uint32_t>(count(landing));
    auto const join = block.fork(node_value{path, waits, {}}, children, joined(worst_at(level)));
    for (; landing != 0; landing &= landing - 1)
      block.spawn(node_task{with_disc(at, lowest(landing), max_moves_at(level)),
                            path.then(column_of(landing)), columns_of_root, join, lookahead, rule});
  }
};

compiled_kernels const& pool_kernels();

}  // namespace ballast::connect4
