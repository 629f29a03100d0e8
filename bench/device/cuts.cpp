// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ballast/balance.hpp"
#include "device/benchmarks.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t parts = 64;

/// A mix of many small costs and some that are 50 times as large, the same in each run.
std::vector<double> invented_costs(std::size_t items) {
  std::vector<double> costs;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < items; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    costs.push_back(double(state >> 54) * (i % 100 == 0 ? 50 : 1));
  }
  return costs;
}

std::vector<double> invented_speeds() {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < parts; ++i) speeds.push_back(double(1 + i * 7 % 20));
  return speeds;
}

/// True if no part could begin later, and no time below that of the slowest part is enough.
bool is_the_earliest(std::vector<double> const& costs, std::vector<double> const& speeds,
                     std::vector<std::size_t> const& boundaries) {
  double slowest = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    double cost = 0;
    for (auto item = boundaries[i]; item < boundaries[i + 1]; ++item) cost += costs[item];
    slowest = std::max(slowest, cost / speeds[i]);
  }
  std::size_t item = 0;
  for (std::size_t i = 0; i < parts; ++i)
    for (double cost = 0; item < costs.size() && (cost += costs[item]) < slowest * speeds[i] * (1 - 1e-12);)
      ++item;
  return boundaries.back() == costs.size() && item < costs.size();
}

}  // namespace

/// What divisions of work cost the host; devices are not used.
void measure_cuts(session& now) {
  auto const speeds = invented_speeds();
  for (std::size_t items = 1000; items <= now.size(1'000'000, 10'000); items *= 10) {
    auto const costs = invented_costs(items);
    std::vector<std::size_t> const capacity(parts, items / 8);
    std::vector<std::size_t> boundaries, part;
    now.measure("cut_costs", double(items), "s",
                [&] { return seconds_of([&] { boundaries = cut_costs(costs, speeds, {capacity}); }); });
    now.verify(is_the_earliest(costs, speeds, boundaries), "no cut ends earlier");
    now.measure("longest_first", double(items), "s",
                [&] { return seconds_of([&] { part = longest_first(costs, speeds); }); });
    now.verify(std::ranges::all_of(part, [](std::size_t one) { return one < parts; }),
               "each item has a part");
    balancer balance(parts, items);
    now.measure("a proposal", double(items), "s", [&] {
      auto const at = balance.boundaries();
      for (std::size_t i = 0; i < parts; ++i) balance.observe(i, double(at[i + 1] - at[i]), 1 / speeds[i]);
      return seconds_of([&] { balance.propose(); });
    });
  }
  now.axes("Dividing items between 64 parts, on one core", "items", "seconds", true, true);
}

}  // namespace ballast::bench
