// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "board.cuh"

namespace ballast::connect4 {

/// The value of a node for MAX.
using score = std::int32_t;
/// The value if MAX has won; -win if MIN has won. Beyond any e(p): a board has 69 lines and fewer sequences
/// than 4 * 42.
inline constexpr score win = 1000;

/// The static evaluation e(p) of Mohan, Gopalan 2014, section 3.1. The paper does not say what "open" means,
/// nor for which side. Each heuristic is a count for MAX minus a count for MIN:
///   H1  open lines
///   H2  sequences
///   H3  sequences of MAX, open lines of MIN: the paper's formula to the letter
enum class heuristic : std::uint8_t { h1, h2, h3 };

/// The first cells of those lines of four in one direction that have 2 or 3 own discs and none of the other
/// side.
template <int Step>
BALLAST_HD constexpr cells first_of_open_lines(cells own, cells other) {
  constexpr cells lines = first_of_fours<Step>(all_cells);
  cells const other_in_two = other | (other >> Step);
  cells const one_of_two = own ^ (own >> Step), both_of_two = own & (own >> Step);
  cells const two_or_three =
      (both_of_two ^ (both_of_two >> (2 * Step))) | (one_of_two & (one_of_two >> (2 * Step)));
  return two_or_three & ~(other_in_two | (other_in_two >> (2 * Step))) & lines;
}

/// The first cells of those unbroken runs of discs in one direction that have exactly 2 or 3.
template <int Step>
BALLAST_HD constexpr cells first_of_sequences(cells own) {
  cells const at_least_two = own & (own >> Step) & ~(own << Step);
  return at_least_two & ~((own >> (2 * Step)) & (own >> (3 * Step)));
}

BALLAST_HD inline int open_lines(cells own, cells other) {
  return count(first_of_open_lines<up>(own, other)) + count(first_of_open_lines<right>(own, other)) +
         count(first_of_open_lines<right_and_up>(own, other)) +
         count(first_of_open_lines<right_and_down>(own, other));
}

BALLAST_HD inline int sequences(cells own) {
  return count(first_of_sequences<up>(own)) + count(first_of_sequences<right>(own)) +
         count(first_of_sequences<right_and_up>(own)) + count(first_of_sequences<right_and_down>(own));
}

/// e(p) of a board on which neither side has won.
BALLAST_HD inline score evaluate(board const& at, heuristic rule) {
  if (rule == heuristic::h1) return open_lines(at.max, at.min) - open_lines(at.min, at.max);
  if (rule == heuristic::h2) return sequences(at.max) - sequences(at.min);
  return sequences(at.max) - open_lines(at.min, at.max);
}

/// Levels of a tree: the root is level 0 and not won; MAX moves at even levels, MIN at odd ones.
inline constexpr int max_lookahead = 16;

BALLAST_HD constexpr bool max_moves_at(int level) { return level % 2 == 0; }

/// A node without its descendants: a leaf with its value, or an inner node.
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

/// The value of a node at this level before any of its children has reported.
BALLAST_HD constexpr score worst_at(int level) { return max_moves_at(level) ? -win : win; }

/// The better of two values for the side that moves at this level.
BALLAST_HD constexpr score better_at(int level, score one, score other) {
  return (one > other) == max_moves_at(level) ? one : other;
}

/// A node as the paper stores it: its level and the moves that lead to it from the root, in 8 bytes. The
/// board is rebuilt from the root's board.
class move_path {
 public:
  /// The node's level: 0 for the root, at most max_lookahead.
  BALLAST_HD constexpr int level() const { return static_cast<int>(bits_ & level_mask); }
  /// The column (0 to 6) of move i, 0 <= i < level().
  BALLAST_HD constexpr int column(int i) const { return static_cast<int>((bits_ >> shift_of(i)) & 7); }
  /// The path to a child: one more move; level() < max_lookahead.
  BALLAST_HD constexpr move_path then(int column) const {
    move_path longer;
    longer.bits_ = (bits_ | std::uint64_t(column) << shift_of(level())) + 1;
    return longer;
  }
  bool operator==(move_path const&) const = default;

 private:
  static constexpr int level_bits = 5, column_bits = 3;
  static constexpr std::uint64_t level_mask = (1u << level_bits) - 1;
  static_assert(level_bits + column_bits * max_lookahead <= 64 && max_lookahead <= int(level_mask));

  BALLAST_HD static constexpr int shift_of(int i) { return level_bits + column_bits * i; }

  std::uint64_t bits_ = 0;
};

BALLAST_HD constexpr board board_at(board root, move_path const& path) {
  for (int i = 0; i < path.level(); ++i) root = dropped(root, path.column(i), max_moves_at(i));
  return root;
}

}  // namespace ballast::connect4
