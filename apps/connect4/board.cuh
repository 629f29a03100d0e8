// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::connect4 {

inline constexpr int columns = 7, rows = 6;

/// A set of cells: bit 7 * column + row, column 0 left, row 0 at the bottom. The bit above each column (row
/// 6) stays 0, so that a line shifted along the board ends there.
using cells = std::uint64_t;

inline constexpr cells bottom_row = 0x0000'0408'1020'4081;
inline constexpr cells all_cells = bottom_row * 0b111111;

/// The steps from a cell to the next one of a line.
inline constexpr int up = 1, right = 7, right_and_up = 8, right_and_down = 6;

/// The discs of both sides. MAX is the side to move at the root of a tree, MIN the other.
struct board {
  cells max = 0, min = 0;
  bool operator==(board const&) const = default;
};

BALLAST_HD inline int count(cells of) {
#if BALLAST_ON_GPU
  return __popcll(of);
#else
  return std::popcount(of);
#endif
}

/// The column (0 to 6) of the lowest cell; `of` is not empty.
BALLAST_HD inline int column_of(cells of) {
#if BALLAST_ON_GPU
  return (__ffsll(static_cast<long long>(of)) - 1) / 7;
#else
  return std::countr_zero(of) / 7;
#endif
}

/// The lowest cell alone; repeated, it takes cells of different columns from left to right.
BALLAST_HD constexpr cells lowest(cells of) { return of & (~of + 1); }

BALLAST_HD constexpr cells cells_of_column(int column) { return cells{0b111111} << (7 * column); }

BALLAST_HD constexpr cells occupied(board const& at) { return at.max | at.min; }

/// The cells where a disc would land: one for each column (0 to 6) that is not full.
BALLAST_HD constexpr cells landing_cells(board const& at) { return (occupied(at) + bottom_row) & all_cells; }

/// The board with one more disc.
BALLAST_HD constexpr board with_disc(board at, cells cell, bool of_max) {
  (of_max ? at.max : at.min) |= cell;
  return at;
}

/// The board after a disc was dropped into a column (0 to 6) that is not full.
BALLAST_HD constexpr board dropped(board const& at, int column, bool by_max) {
  return with_disc(at, landing_cells(at) & cells_of_column(column), by_max);
}

/// The same discs from the other side's view.
BALLAST_HD constexpr board seen_by_other(board const& at) { return {at.min, at.max}; }

/// The first cells of all lines of four in one direction.
template <int Step>
BALLAST_HD constexpr cells first_of_fours(cells discs) {
  cells const pairs = discs & (discs >> Step);
  return pairs & (pairs >> (2 * Step));
}

BALLAST_HD constexpr bool has_four(cells discs) {
  return (first_of_fours<up>(discs) | first_of_fours<right>(discs) | first_of_fours<right_and_up>(discs) |
          first_of_fours<right_and_down>(discs)) != 0;
}

}  // namespace ballast::connect4
