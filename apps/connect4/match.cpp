// SPDX-License-Identifier: Apache-2.0
#include "match.hpp"

#include "moves.hpp"

namespace ballast::connect4 {

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
