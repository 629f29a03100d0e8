// SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

namespace ballast::connect4 {
namespace {

template <int Step>
cells fours_along(cells discs) {
  cells const first = first_of_fours<Step>(discs);
  return first | (first << Step) | (first << (2 * Step)) | (first << (3 * Step));
}

cells in_fours(cells discs) {
  return fours_along<up>(discs) | fours_along<right>(discs) | fours_along<right_and_up>(discs) |
         fours_along<right_and_down>(discs);
}

cells highest_disc(board const& discs, int column) {
  cells const above =
      (occupied(discs) + bottom_row) & (cells_of_column(column) | cells_of_column(column) << 1);
  return above >> 1;
}

/// What stands left and right of a disc.
std::string_view mark(bool is_last, bool is_in_four) {
  if (is_last) return is_in_four ? "<>" : "()";
  return is_in_four ? "[]" : "  ";
}

std::string coloured(std::string const& text, bool of_max, bool is_last, bool is_in_four) {
  std::string const bold = is_last ? "1;" : "", reversed = is_in_four ? "7;" : "";
  return "\x1b[" + bold + reversed + (of_max ? "33m" : "31m") + text + "\x1b[0m";
}

struct painter {
  board discs;
  cells last, fours;
  bool colours;

  std::string cell(cells here) const {
    if ((occupied(discs) & here) == 0) return "   ";
    bool const of_max = (discs.max & here) != 0, is_last = (last & here) != 0,
               is_in_four = (fours & here) != 0;
    auto const sides = mark(is_last, is_in_four);
    std::string const text{sides[0], of_max ? 'X' : 'O', sides[1]};
    return colours ? coloured(text, of_max, is_last, is_in_four) : text;
  }
  std::string row(int number) const {
    std::string text = "  |";
    for (int column = 0; column < columns; ++column) text += cell(cells{1} << (7 * column + number)) + "|";
    return text + "\n";
  }
};

}  // namespace

std::string drawing_of(board const& discs, std::optional<int> last_column, bool colours) {
  painter const paints{discs, last_column ? highest_disc(discs, *last_column) : 0,
                       in_fours(discs.max) | in_fours(discs.min), colours};
  std::string text;
  for (int row = rows - 1; row >= 0; --row) text += paints.row(row);
  return text + "  +---+---+---+---+---+---+---+\n    1   2   3   4   5   6   7\n";
}

}  // namespace ballast::connect4
