// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/start_order.hpp"

#include <algorithm>
#include <numeric>

namespace ballast::detail {

std::vector<std::size_t> start_order(std::span<task const> tasks) {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](auto a, auto b) { return tasks[a].cost() > tasks[b].cost(); });
  return order;
}

}  // namespace ballast::detail
