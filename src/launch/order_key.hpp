// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "ballast/policy/order.hpp"

namespace ballast::detail {

enum class order_key { fifo, priority, longest_first };

/// Throws bad_argument ("among") listing the names.
order_key order_key_named(std::string_view name);

/// What `key` goes by; more is sooner.
inline std::int64_t urgency(order_key key, waiting_launch const& launch) {
  if (key == order_key::priority) return launch.priority;
  return key == order_key::longest_first ? launch.expected_ns : 0;
}

/// The place of the launch with the most urgency among those that `may` be issued, of equals the one with the
/// least `turn`; nothing if none may.
template <class May, class Turn>
std::optional<std::size_t> most_urgent(order_key key, std::span<waiting_launch const> waiting, May may,
                                       Turn turn) {
  std::optional<std::size_t> best;
  using rank = std::pair<std::int64_t, decltype(turn(waiting.front()))>;  // the least is first
  rank first{};
  for (std::size_t place = 0; place < waiting.size(); ++place) {
    if (!may(waiting[place])) continue;
    rank const own(-urgency(key, waiting[place]), turn(waiting[place]));
    if (best && !(own < first)) continue;
    best = place;
    first = own;
  }
  return best;
}

}  // namespace ballast::detail
