// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "connect4/heuristic.cuh"

namespace ballast::connect4 {

/// A board as a table of characters, 'X' for MAX, 'O' for MIN, '.' for neither: slow, and plainly what the
/// definitions say.
class slow_board {
 public:
  explicit slow_board(board const& at) {
    for (int column = 0; column < columns; ++column) {
      for (int row = 0; row < rows; ++row) {
        cells const here = cells{1} << (7 * column + row);
        of(column, row) = (at.max & here) != 0 ? 'X' : (at.min & here) != 0 ? 'O' : '.';
      }
    }
  }

  bool has_four(char disc) const {
    return lines_where([&](int own, int) { return own == 4; }, disc) > 0;
  }
  /// Lines of four cells with exactly 2 or 3 such discs and none of the other kind.
  int open_lines(char disc) const {
    return lines_where([](int own, int others) { return (own == 2 || own == 3) && others == 0; }, disc);
  }
  /// Unbroken runs of exactly 2 or 3 such discs in the four directions.
  int sequences(char disc) const {
    int found = 0;
    for_each_cell_and_direction([&](int column, int row, int dx, int dy) {
      if (at(column - dx, row - dy) == disc) return;
      int length = 0;
      while (at(column + length * dx, row + length * dy) == disc) ++length;
      if (length == 2 || length == 3) ++found;
    });
    return found;
  }
  int lines() const {
    return lines_where([](int, int) { return true; }, 'X');
  }

 private:
  template <class F>
  static void for_each_cell_and_direction(F&& visit) {
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row)
        for (auto const [dx, dy] : {std::array{1, 0}, {0, 1}, {1, 1}, {1, -1}}) visit(column, row, dx, dy);
  }
  template <class Counts>
  int lines_where(Counts&& counts, char disc) const {
    int found = 0;
    for_each_cell_and_direction([&](int column, int row, int dx, int dy) {
      int own = 0, empty = 0, outside = 0;
      for (int i = 0; i < 4; ++i) {
        char const here = at(column + i * dx, row + i * dy);
        own += here == disc;
        empty += here == '.';
        outside += here == ' ';
      }
      if (outside == 0 && counts(own, 4 - own - empty)) ++found;
    });
    return found;
  }
  char at(int column, int row) const {
    bool const inside = column >= 0 && column < columns && row >= 0 && row < rows;
    return inside ? table_[std::size_t(column)][std::size_t(row)] : ' ';
  }
  char& of(int column, int row) { return table_[std::size_t(column)][std::size_t(row)]; }

  std::array<std::array<char, rows>, columns> table_{};
};

inline score slow_evaluation(board const& at, heuristic rule) {
  slow_board const slow(at);
  if (rule == heuristic::h1) return slow.open_lines('X') - slow.open_lines('O');
  if (rule == heuristic::h2) return slow.sequences('X') - slow.sequences('O');
  return slow.sequences('X') - slow.open_lines('O');
}

}  // namespace ballast::connect4
