// SPDX-License-Identifier: Apache-2.0
#include "display.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// The marks left and right of a disc.
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

/// Describes the person's win. It takes an odd number of moves of both sides, since the person moves first.
std::string describe_win(int decided_in) {
  if (decided_in == 1) return "you win with this move";
  return fmt::format("you win in {} moves", (decided_in + 1) / 2);
}

std::string describe_loss(int decided_in) {
  if (decided_in == 2) return "the computer wins with its next move";
  return fmt::format("the computer wins in {} moves", decided_in / 2);
}

std::string line_for(int column, std::optional<column_outlook> const& after, outlook const& seen) {
  auto const words = after ? describe(*after, seen.to_the_end) : "full";
  return fmt::format("  {}  {}{}\n", column + 1, words, column == chosen_column(seen) ? "  <- best" : "");
}

}  // namespace

std::string drawing_of(board const& discs, std::optional<int> last_column, bool colours) {
  painter const paints{discs, last_column ? highest_disc(discs, *last_column) : 0,
                       in_fours(discs.max) | in_fours(discs.min), colours};
  std::string text;
  for (int row = rows - 1; row >= 0; --row) text += paints.row(row);
  return text + "  +---+---+---+---+---+---+---+\n    1   2   3   4   5   6   7\n";
}

std::string describe(column_outlook const& after, bool to_the_end) {
  if (after.value == win) return describe_win(after.decided_in);
  if (after.value == -win) return describe_loss(after.decided_in);
  if (after.value == 0) return to_the_end ? "a draw" : "even";
  if (after.value < 0) return fmt::format("the computer is better ({})", after.value);
  return fmt::format("you are better (+{})", after.value);
}

std::string moves_ahead(int lookahead) {
  return fmt::format("{} {} ahead", lookahead, lookahead == 1 ? "move" : "moves");
}

std::string describe(outlook const& seen, int lookahead) {
  auto const& best = *seen.after[static_cast<std::size_t>(chosen_column(seen))];
  auto text = fmt::format("Seen {}, {}.\n", moves_ahead(lookahead), describe(best, seen.to_the_end));
  for (int column = 0; column < columns; ++column)
    text += line_for(column, seen.after[static_cast<std::size_t>(column)], seen);
  return text;
}

std::string describe_columns(cells landing) {
  std::string text;
  for (; landing != 0; landing &= landing - 1) {
    bool const is_last = (landing & (landing - 1)) == 0;
    text += text.empty() ? "" : is_last ? " and " : ", ";
    text += std::to_string(column_of(landing) + 1);
  }
  return text;
}

std::string shown(std::string_view typed) {
  constexpr std::size_t most = 40;
  std::string text(typed.substr(0, most));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return typed.size() > most ? text + "..." : text;
}

}  // namespace ballast::connect4
