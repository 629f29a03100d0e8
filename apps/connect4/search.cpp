// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <string>

#include "ballast/arguments.hpp"

namespace ballast::connect4 {
namespace {

void check(search_request const& request) {
  if (request.lookahead < 1 || request.lookahead > max_lookahead)
    throw_bad_argument("lookahead", request.lookahead,
                       "a whole number from 1 to " + std::to_string(max_lookahead));
  auto const& root = request.root;
  if (has_four(root.max) || has_four(root.min) || landing_cells(root) == 0)
    throw_bad_argument("root", "a board on which the game is over", "one on which it goes on");
}

}  // namespace

search_answer search(search_method const& method, search_request const& request) {
  check(request);
  return method.search(request);
}

int best_column(column_values const& values) {
  int best = 0;
  for (int column = 1; column < columns; ++column)
    if (values[std::size_t(column)] > values[std::size_t(best)]) best = column;  // nothing is less than any
  return best;
}

heuristic heuristic_named(std::string_view name) {
  static constexpr std::array<std::string_view, 3> names{"H1", "H2", "H3"};
  return static_cast<heuristic>(index_among(names, "heuristic", name));
}

worker_size worker_size_named(std::string_view name) {
  static constexpr std::array<std::string_view, 3> names{"thread", "warp", "block"};
  static constexpr std::array sizes{worker_size::thread, worker_size::warp, worker_size::block};
  return sizes[index_among(names, "workers", name)];
}

}  // namespace ballast::connect4
