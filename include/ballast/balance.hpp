// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/error.hpp"

// How much of the work each part gets: GPUs, ranks, threads, whatever computes. Nothing here knows a device,
// a thread or a clock, and nothing has to be linked. Equal arguments give equal results in one program, so
// ranks that pass the same numbers need not exchange what follows from them. Any thread may call a function.
namespace ballast {

/// How shares() rounds.
struct share_options {
  std::size_t multiple_of = 1;  ///< at least 1; shares are multiples of it
  std::size_t min_each = 0;     ///< the least share of a part with a speed; a multiple of `multiple_of`
};

/// What cut_costs() must respect.
struct cut_options {
  std::span<std::size_t const> capacity = {};  ///< the most items of each part; empty: no limit
};

namespace detail {

inline void check_amount(std::string_view name, double amount) {
  if (!(amount >= 0) || amount > (std::numeric_limits<double>::max)())
    throw_bad_argument(name, amount, "a finite number, at least 0");
}

/// The speeds over the fastest, so that no sum of them overflows.
inline std::vector<double> relative_speeds(std::span<double const> speeds, bool has_work) {
  double fastest = 0;
  for (auto const speed : speeds) {
    check_amount("speeds", speed);
    fastest = (std::max)(fastest, speed);
  }
  if (has_work && fastest == 0) throw_bad_argument("speeds", fastest, "at least one above 0");
  std::vector<double> relative;
  for (auto const speed : speeds) relative.push_back(fastest > 0 ? speed / fastest : 0);
  return relative;
}

/// `total` by speed, but to nobody less than its `least`.
inline std::vector<double> divided(double total, std::span<double const> speeds,
                                   std::vector<double> const& least) {
  auto by_speed = least;
  std::vector<bool> gets_least(speeds.size());
  for (bool is_done = false; !is_done;) {
    double speed = 0, left = total;
    for (std::size_t i = 0; i < speeds.size(); ++i) gets_least[i] ? left -= least[i] : speed += speeds[i];
    is_done = true;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      if (gets_least[i]) continue;
      by_speed[i] = speeds[i] > 0 ? left * (speeds[i] / speed) : 0;
      if (by_speed[i] >= least[i]) continue;
      by_speed[i] = least[i];
      gets_least[i] = true;
      is_done = false;
    }
  }
  return by_speed;
}

/// The indices of the amounts, the largest first, of equal ones in their order.
inline std::vector<std::size_t> largest_first(std::vector<double> const& amounts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < amounts.size(); ++i) order.push_back(i);
  std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
    return amounts[one] != amounts[other] ? amounts[one] > amounts[other] : one < other;
  });
  return order;
}

/// Whole numbers near `wanted` with the sum `total`: rounded down, then one more for the largest remainders,
/// of equal ones for the first. Nobody gets what it does not want.
inline std::vector<std::size_t> by_largest_remainder(std::vector<double> const& wanted, std::size_t total) {
  std::vector<std::size_t> whole;
  std::vector<double> remainder;
  for (double const number : wanted) {
    auto const floor = std::floor(number);
    remainder.push_back(number > 0 ? number - floor : -1);
    whole.push_back(floor < double(total) ? std::size_t(floor) : total);
    total -= whole.back();
  }
  auto const order = largest_first(remainder);
  for (std::size_t next = 0; total > 0; next = next + 1 < order.size() ? next + 1 : 0) {
    if (remainder[order[next]] < 0) continue;
    ++whole[order[next]];
    --total;
  }
  return whole;
}

/// Items that cost 1 each.
struct equal_items {
  std::size_t count;

  double cost(std::size_t begin, std::size_t end) const { return double(end - begin); }
  /// The end of the most items from `begin` up to `last` that cost at most `budget`.
  std::size_t end_within(std::size_t begin, std::size_t last, double budget) const {
    return budget < double(last - begin) ? begin + std::size_t(budget) : last;
  }
};

/// Items of unequal costs.
struct costed_items {
  std::size_t count;
  std::vector<double> sums;  ///< the cost before each item, and of all of them

  template <class Costs>
  explicit costed_items(Costs const& costs) : count(std::size_t(std::ranges::distance(costs))), sums{0} {
    sums.reserve(count + 1);
    for (auto const& cost : costs) {
      check_amount("costs", double(cost));
      sums.push_back(sums.back() + double(cost));
    }
    check_amount("the sum of costs", sums.back());
  }
  double cost(std::size_t begin, std::size_t end) const { return sums[end] - sums[begin]; }
  /// As that of equal_items.
  std::size_t end_within(std::size_t begin, std::size_t last, double budget) const {
    auto const from = sums.begin() + std::ptrdiff_t(begin), to = sums.begin() + std::ptrdiff_t(last) + 1;
    auto const fits = [&](double sum) { return sum - sums[begin] <= budget; };
    return std::size_t(std::partition_point(from, to, fits) - sums.begin()) - 1;
  }
};

/// Who takes items: how fast, and how many.
struct takers {
  std::span<double const> speeds;  ///< over the fastest
  std::span<std::size_t const> capacity = {};
  std::size_t multiple_of = 1;

  /// Throws bad_argument unless there is a capacity for each part, or none at all.
  void check() const {
    if (!capacity.empty() && capacity.size() != speeds.size())
      throw_bad_argument("the size of capacity", capacity.size(), "0 or the number of parts");
  }
  /// Where part i ends that begins at `begin` and may take `seconds`.
  template <class Items>
  std::size_t end_of(Items const& items, std::size_t i, std::size_t begin, double seconds) const {
    if (speeds[i] == 0) return begin;
    auto const most = capacity.empty() ? items.count : capacity[i];
    auto const end =
        items.end_within(begin, begin + (std::min)(most, items.count - begin), seconds * speeds[i]);
    return end == items.count ? end : (std::max)(begin, end - end % multiple_of);
  }
};

/// The boundaries of parts side by side of which the slowest ends as early as possible; none if the items do
/// not fit. Taking as much as time allows is best for each part in turn, so only the time is searched.
template <class Items>
std::vector<std::size_t> earliest_boundaries(Items const& items, takers const& parts) {
  std::vector<std::size_t> boundaries(parts.speeds.size() + 1);
  auto const fits_in = [&](std::uint64_t seconds) {
    for (std::size_t i = 0; i + 1 < boundaries.size(); ++i)
      boundaries[i + 1] = parts.end_of(items, i, boundaries[i], std::bit_cast<double>(seconds));
    return boundaries.back() == items.count;
  };
  // Positive doubles are in the order of their bits: halving these finds the least one in 63 steps.
  auto least = std::uint64_t(0), most = std::bit_cast<std::uint64_t>((std::numeric_limits<double>::max)());
  while (least < most) {
    auto const middle = least + (most - least) / 2;
    fits_in(middle) ? most = middle : least = middle + 1;
  }
  if (!fits_in(most)) boundaries.clear();
  return boundaries;
}

}  // namespace detail

/// How many of `total` items each part gets, in proportion to its speed; the sum is `total`. Proportions are
/// rounded down to multiples of `multiple_of`, then up for those with the largest remainders. What `total`
/// has beyond a multiple goes to the last part with a speed above 0, so that boundaries of parts side by side
/// are multiples. A part of speed 0 gets nothing, and one whose proportion is below `min_each` just that.
/// Speeds are finite, at least 0, in any unit; one is above 0 if `total` is. Throws bad_argument otherwise,
/// and if `min_each` exceeds what there is.
inline std::vector<std::size_t> shares(std::span<double const> speeds, std::size_t total,
                                       share_options rounding = {}) {
  auto const [unit, least] = rounding;
  if (unit == 0) throw_bad_argument("multiple_of", unit, "at least 1");
  if (least % unit != 0) throw_bad_argument("min_each", least, "a multiple of multiple_of");
  auto const relative = detail::relative_speeds(speeds, total > 0);
  std::vector<std::size_t> all(speeds.size()), working;
  for (std::size_t i = 0; i < relative.size(); ++i)
    if (relative[i] > 0) working.push_back(i);
  if (working.empty()) return all;
  if (least / unit > total / unit / working.size())
    throw_bad_argument("min_each", least, "no more than `total` has for each part with a speed");
  for (auto const i : working) all[i] = least;
  all[working.back()] += total % unit;
  auto wanted = detail::divided(double(total), relative, {all.begin(), all.end()});
  for (std::size_t i = 0; i < all.size(); ++i) wanted[i] = (wanted[i] - double(all[i])) / double(unit);
  auto const more = detail::by_largest_remainder(wanted, total / unit - least / unit * working.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += more[i] * unit;
  return all;
}

/// Cuts items in a row into contiguous parts, one for each speed, so that the slowest part, of the time cost
/// over speed, ends as early as possible. Returns the boundaries, one more than parts: part i has the items
/// from boundary i up to boundary i + 1. Of equally good cuts it is the one whose first parts have most. The
/// minimum is exact while sums of costs are exact as double, integers up to 2^53 for instance. A part of
/// speed 0 gets nothing. Costs are numbers, finite and at least 0, as is their sum; speeds are as for
/// shares(). Throws bad_argument otherwise, and if the items do not fit into `capacity`. Takes O(n) time for
/// n items, and O(log n) for each part.
template <std::ranges::forward_range Costs>
std::vector<std::size_t> cut_costs(Costs const& costs, std::span<double const> speeds,
                                   cut_options limits = {}) {
  detail::costed_items const items(costs);
  auto const relative = detail::relative_speeds(speeds, items.count > 0);
  detail::takers const parts{relative, limits.capacity};
  parts.check();
  auto boundaries = detail::earliest_boundaries(items, parts);
  if (boundaries.empty()) throw bad_argument("capacity", "too small", "room for all items");
  return boundaries;
}

/// The part of each item, if any item may go to any part: the longest item first, each to the part that then
/// ends first. The slowest part takes at most 4/3 of the least possible time if speeds are equal (Graham
/// 1969), else at most 5/3 (Friesen 1987). Costs and speeds, and what is thrown, are as for cut_costs().
/// Takes O(n log n + n p) time for n items and p parts.
template <std::ranges::forward_range Costs>
std::vector<std::size_t> longest_first(Costs const& costs, std::span<double const> speeds) {
  detail::costed_items const items(costs);
  auto const relative = detail::relative_speeds(speeds, items.count > 0);
  std::vector<double> cost;
  for (auto const& one : costs) cost.push_back(double(one));
  std::vector<std::size_t> part(items.count);
  std::vector<double> load(speeds.size());
  for (auto const i : detail::largest_first(cost)) {
    auto first_end = std::numeric_limits<double>::infinity();
    for (std::size_t to = 0; to < load.size(); ++to) {
      if (relative[to] == 0) continue;
      auto const end = (load[to] + cost[i]) / relative[to];
      if (end < first_end) first_end = end, part[i] = to;
    }
    load[part[i]] += cost[i];
  }
  return part;
}

}  // namespace ballast
