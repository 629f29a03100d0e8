// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "connect4/search.hpp"

namespace ballast::connect4 {

/// The required results of every method, computed by independent programs.
struct reference {
  std::string moves;
  heuristic rule;
  int lookahead;
  std::vector<score> values;  ///< for columns 1 to 7
  score best_value;
  int best_column;  ///< 1 to 7
  std::uint64_t nodes;
};

inline std::vector<reference> const references{
    {"", heuristic::h1, 3, {1, 1, 1, 1, 1, 1, 1}, 1, 1, 400},
    {"", heuristic::h1, 4, {-1, -1, 0, 0, 0, -1, -1}, 0, 3, 2801},
    {"", heuristic::h1, 5, {0, 1, 1, 2, 1, 1, 0}, 2, 4, 19608},
    {"", heuristic::h1, 6, {-1, -1, -1, 0, -1, -1, -1}, 0, 4, 137257},
    {"", heuristic::h1, 7, {1, 2, 2, 3, 2, 2, 1}, 3, 4, 960793},
    {"", heuristic::h2, 5, {1, 1, 1, 1, 1, 1, 1}, 1, 1, 19608},
    {"", heuristic::h2, 6, {-1, -1, -1, -1, -1, -1, -1}, -1, 1, 137257},
    {"", heuristic::h2, 7, {2, 3, 3, 3, 3, 3, 2}, 3, 2, 960793},
    {"44", heuristic::h1, 7, {0, 2, 2, 3, 2, 2, 0}, 3, 4, 918293},
    {"44", heuristic::h2, 7, {1, 1, 4, 1, 4, 1, 1}, 4, 3, 918293},
    {"4453", heuristic::h1, 7, {0, -1, 1, 2, 1, 2, 1}, 2, 4, 876640},
    {"4453", heuristic::h2, 7, {1, 1, 2, 2, 4, 4, 3}, 4, 5, 876640},
    {"", heuristic::h3, 3, {1, 1, 1, 1, 1, 1, 1}, 1, 1, 400},
    {"", heuristic::h3, 4, {-1, 0, -1, -1, -1, 0, -1}, 0, 2, 2801},
    {"", heuristic::h3, 5, {1, 1, 1, 1, 1, 1, 1}, 1, 1, 19608},
    {"", heuristic::h3, 6, {-1, -1, -2, -1, -2, -1, -1}, -1, 1, 137257},
    {"", heuristic::h3, 7, {2, 2, 3, 3, 3, 2, 2}, 3, 3, 960793},
    {"44", heuristic::h3, 7, {1, 1, 4, 1, 4, 1, 1}, 4, 3, 918293},
    {"4453", heuristic::h3, 7, {1, 2, 2, 2, 3, 3, 2}, 3, 5, 876640},
};

inline std::string name_of(reference const& one) {
  return (one.moves.empty() ? "empty" : one.moves) + " H" + std::to_string(int(one.rule) + 1) +
         " look-ahead " + std::to_string(one.lookahead);
}

}  // namespace ballast::connect4
