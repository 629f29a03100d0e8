// SPDX-License-Identifier: Apache-2.0
#include "launch/launch_ways.hpp"

#include "ballast/launch_queue.hpp"

namespace ballast::bench {

std::vector<launch_way> launch_ways() {
  std::vector<launch_way> ways{{"default", {}}};
  for (auto const& order : order_policies())
    for (auto const& merge : {launch_options{}.merge, std::string("none")}) {
      launch_options options{.order = std::string(order.name), .merge = merge};
      if (options.order == launch_options{}.order && merge == launch_options{}.merge) continue;
      ways.push_back({options.order + (merge == "none" ? "" : " and merging"), options});
    }
  return ways;
}

}  // namespace ballast::bench
