// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heuristic.cuh"

namespace ballast::connect4 {

/// Levels of a tree: the root is level 0 and not won; MAX moves at even levels, MIN at odd ones.
inline constexpr int max_lookahead = 16;

BALLAST_HD constexpr bool max_moves_at(int level) { return level % 2 == 0; }

/// What a node is without its descendants: a leaf with its value, or not.
struct node_kind {
  bool is_leaf = false;
  score value = 0;
  bool operator==(node_kind const&) const = default;
};

/// A node is a leaf if the last move won, if the board is full (0), or at the level of the look-ahead (e(p)).
BALLAST_HD inline node_kind kind_of(board const& at, int level, int lookahead, heuristic rule) {
  bool const max_came_here = !max_moves_at(level);
  if (has_four(max_came_here ? at.max : at.min)) return {true, max_came_here ? win : -win};
  if (landing_cells(at) == 0) return {true, 0};
  if (level == lookahead) return {true, evaluate(at, rule)};
  return {};
}

/// The value that a node at this level has before any of its children has reported.
BALLAST_HD constexpr score worst_at(int level) { return max_moves_at(level) ? -win : win; }

/// The better of two values for whom moves at this level.
BALLAST_HD constexpr score better_at(int level, score one, score other) {
  return (one > other) == max_moves_at(level) ? one : other;
}

}  // namespace ballast::connect4
