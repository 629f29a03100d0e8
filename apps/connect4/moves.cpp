// SPDX-License-Identifier: Apache-2.0
#include "moves.hpp"

#include <string>

#include "ballast/error.hpp"

namespace ballast::connect4 {
namespace {

[[noreturn]] void refuse(std::string_view moves, std::string const& flaw, std::string_view legal) {
  throw_bad_argument("moves", std::string(moves) + ", " + flaw, legal);
}

void check_next(std::string_view moves, std::size_t next, board const& at) {
  std::string const its_move = "whose move " + std::to_string(next + 1) + " is ";
  char const column = moves[next];
  if (column < '1' || column > '7')
    refuse(moves, its_move + "'" + column + "'", "a column from 1 to 7 for each move");
  if ((landing_cells(at) & cells_of_column(column - '1')) == 0)
    refuse(moves, its_move + "in column " + column + ", which is full", "at most 6 moves in a column");
}

void check_game_is_not_over(std::string_view moves, std::size_t played, board const& at) {
  auto const legal = "moves after which the game goes on";
  if (has_four(at.min)) refuse(moves, "where move " + std::to_string(played) + " wins", legal);
  if (landing_cells(at) == 0) refuse(moves, "which fill the board", legal);
}

board after_move(board const& at, char column) { return seen_by_other(dropped(at, column - '1', true)); }

}  // namespace

void check_moves(std::string_view moves) {
  board at;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    check_next(moves, i, at);
    at = after_move(at, moves[i]);
    check_game_is_not_over(moves, i + 1, at);
  }
}

board board_after(std::string_view moves) {
  board at;
  for (char const column : moves) at = after_move(at, column);
  return at;
}

}  // namespace ballast::connect4
