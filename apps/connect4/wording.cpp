// SPDX-License-Identifier: Apache-2.0
#include "wording.hpp"

#include <algorithm>

namespace ballast::connect4 {
namespace {

std::string in_moves(int moves) { return "in " + std::to_string(moves) + " moves"; }

/// A win comes with an odd number of moves of both sides, the person's move being the first.
std::string describe_win(int decided_in) {
  return decided_in == 1 ? "you win with this move" : "you win " + in_moves((decided_in + 1) / 2);
}

std::string describe_loss(int decided_in) {
  return decided_in == 2 ? "the computer wins with its next move"
                         : "the computer wins " + in_moves(decided_in / 2);
}

std::string line_for(int column, std::optional<column_outlook> const& after, outlook const& seen) {
  auto const words = after ? describe(*after, seen.to_the_end) : "full";
  auto const best = column == chosen_column(seen) ? "  <- best" : "";
  return "  " + std::to_string(column + 1) + "  " + words + best + "\n";
}

}  // namespace

std::string describe(column_outlook const& after, bool to_the_end) {
  if (after.value == win) return describe_win(after.decided_in);
  if (after.value == -win) return describe_loss(after.decided_in);
  if (after.value == 0) return to_the_end ? "a draw" : "even";
  if (after.value < 0) return "the computer is better (" + std::to_string(after.value) + ")";
  return "you are better (+" + std::to_string(after.value) + ")";
}

std::string moves_ahead(int lookahead) {
  return std::to_string(lookahead) + (lookahead == 1 ? " move ahead" : " moves ahead");
}

std::string describe(outlook const& seen, int lookahead) {
  auto const best = static_cast<std::size_t>(chosen_column(seen));
  std::string text =
      "Seen " + moves_ahead(lookahead) + ", " + describe(*seen.after[best], seen.to_the_end) + ".\n";
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
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return typed.size() > most ? text + "..." : text;
}

}  // namespace ballast::connect4
