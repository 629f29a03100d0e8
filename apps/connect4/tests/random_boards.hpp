// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "connect4/match.hpp"

namespace ballast::connect4 {

/// The moves, followed by random ones until the game ends or there are `length` of them.
inline std::string played_on(std::string moves, std::size_t length, std::mt19937_64& random) {
  while (moves.size() < length) {
    auto const at = board_after(moves);
    if (has_four(at.min) || landing_cells(at) == 0) break;
    int const column = static_cast<int>(random() % columns);
    if ((landing_cells(at) & cells_of_column(column)) != 0) moves += static_cast<char>('1' + column);
  }
  return moves;
}

/// Boards that games lead to, including finished games, and boards with randomly placed discs.
inline std::vector<board> random_boards(int of_each) {
  std::mt19937_64 random(20140500);
  std::vector<board> all;
  for (int i = 0; i < of_each; ++i) {
    all.push_back(board_after(played_on("", random() % 43, random)));
    cells const some = random() & all_cells, others = random() & all_cells;
    all.push_back({some & ~others, others & ~some});
  }
  return all;
}

}  // namespace ballast::connect4
