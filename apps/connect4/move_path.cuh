// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "node.cuh"

namespace ballast::connect4 {

/// A node as the paper stores it: its level and the moves that lead to it from the root, in 8 bytes. The
/// board is made again from the root's board.
class move_path {
 public:
  /// 0 for the root, at most max_lookahead.
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
