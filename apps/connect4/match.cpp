// SPDX-License-Identifier: Apache-2.0
#include "match.hpp"

#include <fmt/format.h>

#include <string>

#include "ballast/error.hpp"

namespace ballast::connect4 {
namespace {

[[noreturn]] void refuse(std::string_view moves, std::string const& flaw, std::string_view legal) {
  throw_bad_argument("moves", fmt::format("{}, {}", moves, flaw), legal);
}

void check_next(std::string_view moves, std::size_t next, board const& at) {
  char const column = moves[next];
  if (column < '1' || column > '7')
    refuse(moves, fmt::format("whose move {} is '{}'", next + 1, column),
           "a column from 1 to 7 for each move");
  if ((landing_cells(at) & cells_of_column(column - '1')) == 0)
    refuse(moves, fmt::format("whose move {} is in column {}, which is full", next + 1, column),
           "at most 6 moves in a column");
}

void check_game_is_not_over(std::string_view moves, std::size_t played, board const& at) {
  auto const legal = "moves after which the game goes on";
  if (has_four(at.min)) refuse(moves, fmt::format("where move {} wins", played), legal);
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

standing match::stands() const {
  auto const discs = for_human();
  if (has_four(discs.max)) return standing::won_by_human;
  if (has_four(discs.min)) return standing::won_by_computer;
  return landing_cells(discs) == 0 ? standing::drawn : standing::goes_on;
}

bool match::is_free(int column) const { return (landing_cells(for_mover()) & cells_of_column(column)) != 0; }

board match::for_mover() const { return board_after(moves_); }

board match::for_human() const { return is_humans(moves_.size()) ? for_mover() : seen_by_other(for_mover()); }

std::optional<int> match::last_column() const {
  if (moves_.empty()) return std::nullopt;
  return moves_.back() - '1';
}

void match::drop(int column) { moves_ += static_cast<char>('1' + column); }

bool match::take_back() {
  for (auto move = moves_.size(); move > first_own_; --move) {
    if (!is_humans(move - 1)) continue;
    moves_.resize(move - 1);
    return true;
  }
  return false;
}

}  // namespace ballast::connect4
