// SPDX-License-Identifier: Apache-2.0
#include "outlook.hpp"

#include <algorithm>
#include <utility>

namespace ballast::connect4 {
namespace {

bool is_decided(score value) { return value == win || value == -win; }

void update(outlook& seen, column_values const& values, int lookahead) {
  for (std::size_t column = 0; column < columns; ++column) {
    if (!values[column]) continue;
    auto& after = seen.after[column];
    bool const decided_before = after && after->decided_in > 0;
    if (decided_before) continue;
    after = {*values[column], is_decided(*values[column]) ? lookahead : 0};
  }
}

bool all_decided(outlook const& seen) {
  return std::all_of(seen.after.begin(), seen.after.end(),
                     [](auto const& after) { return !after || after->decided_in > 0; });
}

/// Greater is better: by value, wins by haste, losses by delay.
std::pair<score, int> rank(column_outlook const& after) {
  return {after.value, after.value == win ? -after.decided_in : after.decided_in};
}

}  // namespace

outlook search_ahead(search_method const& method, search_request request) {
  int const moves_left = columns * rows - count(occupied(request.root));
  int const last = std::min(request.lookahead, moves_left);
  outlook seen;
  seen.to_the_end = last == moves_left;
  for (request.lookahead = 1; request.lookahead <= last; ++request.lookahead) {
    update(seen, search(method, request).values, request.lookahead);
    if (all_decided(seen)) break;
  }
  return seen;
}

int chosen_column(outlook const& seen) {
  int best = -1;
  for (int column = 0; column < columns; ++column) {
    auto const& after = seen.after[std::size_t(column)];
    if (!after) continue;
    if (best < 0 || rank(*after) > rank(*seen.after[std::size_t(best)])) best = column;
  }
  return best;
}

}  // namespace ballast::connect4
