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
// a thread or a clock, and nothing has to be linked. Equal arguments give equal results in one program on one
// kind of processor, so such ranks need not exchange what follows from them. Any thread may call a function.
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

template <class Costs>
concept cost_range = std::ranges::forward_range<Costs const> && requires(Costs const& costs) {
  double(*std::ranges::begin(costs));
};

inline void check_amount(std::string_view name, double amount) {
  if (!(amount >= 0) || amount > (std::numeric_limits<double>::max)())
    throw_bad_argument(name, amount, "a finite number, at least 0");
}

/// The speeds over the fastest, so that no sum of them overflows. Only 0 becomes 0.
inline std::vector<double> relative_speeds(std::span<double const> speeds, bool has_work) {
  double fastest = 0;
  for (auto const speed : speeds) {
    check_amount("speeds", speed);
    fastest = (std::max)(fastest, speed);
  }
  if (has_work && fastest == 0) throw_bad_argument("speeds", fastest, "at least one above 0");
  std::vector<double> relative;
  for (auto const speed : speeds)
    relative.push_back(speed > 0 ? (std::max)(speed / fastest, (std::numeric_limits<double>::min)()) : 0);
  return relative;
}

/// `total` by speed, but no part gets less than its `least`.
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

/// The part that ends first with `cost` more, of equal ones the first. A speed is above 0.
inline std::size_t first_to_end(double cost, std::vector<double> const& loads,
                                std::vector<double> const& speeds) {
  std::size_t first = 0;
  auto first_end = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (speeds[i] == 0) continue;
    auto const end = (loads[i] + cost) / speeds[i];
    if (end < first_end) first_end = end, first = i;
  }
  return first;
}

/// Whole numbers near `wanted` with the sum `total`: rounded down, then one more for the largest remainders,
/// of equal ones for the first. What wants nothing gets nothing.
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

/// The ends of parts side by side, in items and fractions of one, that share the cost in proportion to their
/// speeds. Items of no cost at an end belong to the next part.
inline std::vector<double> ends_in_proportion(costed_items const& items, std::span<double const> speeds) {
  std::vector<double> ends;
  double cost = 0;
  for (auto const more : divided(items.sums.back(), speeds, std::vector<double>(speeds.size()))) {
    cost = (std::min)(cost + more, items.sums.back());
    auto const at = std::size_t(std::ranges::lower_bound(items.sums, cost) - items.sums.begin());
    auto const beyond = at == 0 ? 0 : (items.sums[at] - cost) / (items.sums[at] - items.sums[at - 1]);
    ends.push_back(double(at) - beyond);
  }
  ends.back() = double(items.count);
  return ends;
}

/// The parts that take items: how fast, and how many.
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
  auto least = std::uint64_t(0), most = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  while (least < most) {
    auto const middle = least + (most - least) / 2;
    fits_in(middle) ? most = middle : least = middle + 1;
  }
  if (!fits_in(most)) boundaries.clear();
  return boundaries;
}

/// What the logarithms of observed speeds say of all parts together: how much of their change is noise, and
/// how much drift. Over 2^l steps noise changes a speed as much as over one, a drift 2^l times as much.
class speed_changes {
 public:
  static constexpr std::size_t longest = 32;  ///< steps between two compared speeds

  /// Begins a step: what is older counts a little less.
  void age() {
    for (auto& scale : scales_) scale.squares *= memory, scale.count *= memory;
  }
  /// `past`: earlier ones of the same part, the newest last.
  void add(std::vector<double> const& past, double observed) {
    for (std::size_t l = 0, steps = 1; l < scales_.size() && steps <= past.size(); ++l, steps *= 2) {
      auto const change = observed - past[past.size() - steps];
      scales_[l].squares += change * change;
      ++scales_[l].count;
    }
  }
  /// Concludes noise and drift from what was added.
  void conclude() {
    auto const& first = scales_.front();
    auto const once = first.count > 0 ? first.squares / first.count : unknown_noise * 2;
    drift_ = 0;
    is_drifting_ = false;
    double steps = 1;
    for (auto const& scale : scales_) {
      if (scale.count > least_count && steps > 1) {
        auto const more = scale.squares / scale.count - once;
        auto const error = once * std::sqrt(6 / scale.count) * (1 + 4 / scale.count);
        drift_ = (std::max)(drift_, (more - 3 * error) / (steps - 1));
        is_drifting_ = is_drifting_ || more > 7 * error;
      }
      steps *= 2;
    }
    noise_ = (std::max)(least_noise, (once - drift_) / 2);
    caution_ = first.count > 0 ? 1 + 20 / first.count : 1e3;
  }
  /// A step in speed looks like a drift.
  void forget_drift() {
    for (auto& scale : std::span(scales_).subspan(1)) scale = {};
    drift_ = 0;
    is_drifting_ = false;
  }
  double noise() const { return noise_; }  ///< the variance of one observation
  double drift() const { return drift_; }  ///< the variance that is added in each step
  bool is_drifting() const { return is_drifting_; }
  /// How many times the usual number of deviations are significant, as long as noise() rests on few
  /// observations.
  double caution() const { return caution_; }

 private:
  static constexpr double memory = 0.99, least_count = 4;
  static constexpr double unknown_noise = 0.05 * 0.05, least_noise = 1e-6;

  struct compared {
    double squares = 0, count = 0;
  };

  std::array<compared, 6> scales_{};
  double noise_ = unknown_noise, drift_ = 0, caution_ = 1e3;
  bool is_drifting_ = false;
};

/// The logarithm of a part's speed: a Kalman filter that begins anew when several observations on one side of
/// it cannot be noise. Variances are relative to the noise.
class filtered_speed {
 public:
  bool is_known() const { return !past_.empty(); }
  double level() const { return level_; }
  double variance() const { return variance_; }
  std::vector<double> const& past() const { return past_; }

  bool is_outlier(double observed, speed_changes const& known) const {
    return is_known() && std::abs(deviations(observed, known)) > 3.5;
  }
  void hasten() { variance_ = (std::max)(variance_, 0.125); }
  void pass(speed_changes const& known) { variance_ += known.drift() / known.noise(); }
  /// After pass(). True if it began anew.
  bool learn(double observed, speed_changes const& known) {
    bool const is_outlier_now = is_outlier(observed, known);
    note_side(observed, known);
    if (on_one_side_.size() > 1 && deviations_ > 5.5 * std::sqrt(double(on_one_side_.size()))) {
      begin_anew();
      return true;
    }
    if (is_outlier_now) return false;
    auto const gain = is_known() ? variance_ / (variance_ + 1) : 1;
    level_ += gain * (observed - level_);
    variance_ = gain;
    if (past_.size() == speed_changes::longest) past_.erase(past_.begin());
    past_.push_back(observed);
    return false;
  }

 private:
  static constexpr std::size_t longest_side = 8;
  static constexpr double most_of_one = 4.5;  // so that one outlier begins nothing

  double deviations(double observed, speed_changes const& known) const {
    auto const variance = known.noise() * (variance_ + 1) + known.drift();
    return (observed - level_) / (known.caution() * std::sqrt(variance));
  }
  void note_side(double observed, speed_changes const& known) {
    auto const away = deviations(observed, known);
    bool const is_same = !on_one_side_.empty() && (on_one_side_.back() > level_) == (away > 0);
    if (!is_same || std::abs(away) < 1 || on_one_side_.size() == longest_side) {
      on_one_side_.clear();
      deviations_ = 0;
    }
    if (std::abs(away) < 1) return;
    on_one_side_.push_back(observed);
    deviations_ += (std::min)(std::abs(away), most_of_one);
  }
  void begin_anew() {
    past_ = {on_one_side_.back()};
    variance_ = 1 / double(on_one_side_.size());
    level_ = 0;
    for (auto const observed : on_one_side_) level_ += observed * variance_;
    on_one_side_.clear();
  }

  double level_ = 0, variance_ = 1;
  std::vector<double> past_;         ///< since it began anew, the newest last
  std::vector<double> on_one_side_;  ///< the latest ones, if all were well above, or well below, the level
  double deviations_ = 0;            ///< the sum of theirs
};

/// The places that a boundary left not long ago, to which it must not return.
class left_places {
 public:
  void forget() { below_ = above_ = {}; }
  void note_move(std::size_t from, std::size_t to, std::uint64_t step) {
    (to > from ? below_ : above_) = {from, step + quiet_steps};
  }
  /// From `at` it may go back half of the way, so that it comes to rest.
  std::size_t lowest(std::size_t at, std::uint64_t step) const {
    return step <= below_.until ? at - (at - below_.where) / 2 : 0;
  }
  std::size_t highest(std::size_t at, std::uint64_t step, std::size_t items) const {
    return step <= above_.until ? at + (above_.where - at) / 2 : items;
  }

 private:
  static constexpr std::uint64_t quiet_steps = 20;

  struct place {
    std::size_t where = 0;
    std::uint64_t until = 0;
  };
  place below_, above_;
};

/// What a balancer knows of a part.
struct observed_part {
  bool works = true;
  double work = 0, seconds = 0;  ///< of this step
  filtered_speed speed{};
  double level_at_move = 0, variance_at_move = -1;  ///< negative: was not known then
  std::uint64_t idle_steps = 0;                     ///< without items, up to now
};

}  // namespace detail

/// How many of `total` items each part gets, in proportion to its speed; the sum is `total`. What `total` has
/// beyond a multiple of `multiple_of` is first set aside for the last part with a speed above 0, so that
/// boundaries of parts side by side are multiples. Then proportions are rounded down to multiples, and up for
/// those with the largest remainders. A part of speed 0 gets nothing, and one whose proportion is below
/// `min_each` just that. Speeds are finite, at least 0, in any unit; one is above 0 if `total` is. Throws
/// bad_argument otherwise, and if `min_each` exceeds what there is.
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
  if (*std::ranges::max_element(wanted) == 0) wanted = relative;  // all rounded away
  auto const more = detail::by_largest_remainder(wanted, total / unit - least / unit * working.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += more[i] * unit;
  return all;
}

/// Cuts items in a row into contiguous parts, one for each speed, so that the slowest part, of the time cost
/// over speed, ends as early as possible. Returns the boundaries, one more than parts: part i has the items
/// from boundary i up to boundary i + 1. Of equally good cuts it is the one whose first parts have most,
/// except that rounded speeds may make equal ones differ. The minimum is exact while sums of costs are exact
/// as double, integers up to 2^53 for instance. A part of speed 0 gets nothing. Costs are numbers, finite and
/// at least 0, as is their sum; speeds are as for shares(). Throws bad_argument otherwise, and if the items
/// do not fit into `capacity`. Takes O(n) time for n items, and O(log n) for each part.
template <detail::cost_range Costs>
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
template <detail::cost_range Costs>
std::vector<std::size_t> longest_first(Costs const& costs, std::span<double const> speeds) {
  detail::costed_items const items(costs);
  auto const relative = detail::relative_speeds(speeds, items.count > 0);
  std::vector<double> cost;
  for (auto const& one : costs) cost.push_back(double(one));
  std::vector<std::size_t> part(items.count);
  std::vector<double> load(speeds.size());
  for (auto const i : detail::largest_first(cost)) {
    part[i] = detail::first_to_end(cost[i], load, relative);
    load[part[i]] += cost[i];
  }
  return part;
}

/// What a balancer must respect, and what a move costs.
struct balancer_options {
  std::vector<std::size_t> capacity = {};  ///< the most items of each part; empty: no limit
  std::size_t multiple_of = 1;             ///< at least 1; boundaries are multiples of it
  double move_seconds = 0;                 ///< to move one item over one boundary; at least 0
};

/// Balances contiguous parts of items in a program that repeats its work, from the times that the parts took:
/// observe() each part after each step, then propose(). It follows speeds that drift, and a step in speed
/// from the second time on that shows it. A single outlier is ignored. Boundaries move if that saves at least
/// 1% of the slowest part's time, more while times are noisy, and once what was lost by waiting makes up for
/// `move_seconds`. While speeds stay, no boundary returns within 20 steps to a place that it left, but for
/// trials: a part without items for 100 steps, more if trying is dear, gets `multiple_of` for one step.
/// Deterministic; one thread at a time may call.
class balancer {
 public:
  /// Begins with shares() of equal speeds, or what fits. Throws bad_argument if there is no part, or more
  /// than a vector holds, if the items do not fit, or if an option is out of its range.
  balancer(std::size_t parts, std::size_t items, balancer_options options = {})
      : options_(std::move(options)), items_(items), boundaries_{0} {
    if (parts == 0 || parts > parts_.max_size())
      throw_bad_argument("parts", parts, "1 to what a vector holds");
    parts_.resize(parts), left_.resize(parts + 1);
    if (options_.multiple_of == 0) throw_bad_argument("multiple_of", 0, "at least 1");
    detail::check_amount("move_seconds", options_.move_seconds);
    std::vector<double> const alike(parts, 1.0);
    takers(alike).check();
    for (auto const share : shares(alike, items, {options_.multiple_of, 0}))
      boundaries_.push_back(boundaries_.back() + share);
    if (!fits(boundaries_))
      boundaries_ = detail::earliest_boundaries(detail::equal_items{items}, takers(alike));
    if (boundaries_.empty())
      throw_bad_argument("items", items, "what capacities hold in multiples of multiple_of");
  }

  /// One more than parts: part i has the items from boundary i up to boundary i + 1.
  std::vector<std::size_t> const& boundaries() const { return boundaries_; }

  /// Part `part` took `seconds` for `work`: the number of its items, or the sum of their costs if propose()
  /// gets these. Several in one step count as one. Nothing is learned from no work. Throws bad_argument if
  /// there is no such part, if `seconds` or `work` is not finite and at least 0, or `seconds` is 0 for work;
  /// also for their sums.
  void observe(std::size_t part, double work, double seconds) {
    auto& observed = at(part);
    detail::check_amount("work", work < 0 ? work : observed.work + work);
    detail::check_amount("seconds", seconds < 0 ? seconds : observed.seconds + seconds);
    if (work == 0) return;
    if (seconds == 0) throw_bad_argument("seconds", seconds, "above 0 for work");
    observed.work += work;
    observed.seconds += seconds;
  }

  /// Ends a step. Returns the new boundaries, which are those of boundaries() from now on, or nothing: keep
  /// what you have. Throws error if the items do not fit into the parts that are left; the step has ended
  /// even so, and what was observed in it is learned.
  std::optional<std::vector<std::size_t>> propose() { return propose_for(detail::equal_items{items_}); }
  /// The same for items with costs that the caller knows, one for each item, as cut_costs() takes them.
  template <detail::cost_range Costs>
  std::optional<std::vector<std::size_t>> propose(Costs const& costs) {
    detail::costed_items const items(costs);
    if (items.count != items_) throw_bad_argument("the number of costs", items.count, "that of the items");
    return propose_for(items);
  }

  /// From the next propose() on the part has no items. Throws bad_argument if there is no such part.
  void leave(std::size_t part) {
    at(part).works = false;
    for (auto& place : left_) place.forget();  // so that both boundaries of the part have the same
  }
  /// The part works again, at a speed that is to be found out, or is one more after the last: then `part` is
  /// the number of parts so far, and there must be no `capacity`. Throws bad_argument otherwise.
  void join(std::size_t part) {
    if (part == parts_.size() && options_.capacity.empty()) {
      parts_.emplace_back();
      left_.emplace_back();
      boundaries_.push_back(items_);
    }
    at(part) = {};
  }

 private:
  using observed_part = detail::observed_part;

  observed_part& at(std::size_t part) {
    if (part >= parts_.size()) throw_bad_argument("part", part, "less than the number of parts");
    return parts_[part];
  }
  detail::takers takers(std::vector<double> const& speeds) const {
    return {speeds, options_.capacity, options_.multiple_of};
  }

  template <class Items>
  std::optional<std::vector<std::size_t>> propose_for(Items const& items) {
    ++step_;
    learn();
    auto const speeds = relative_speeds();
    auto next = detail::earliest_boundaries(items, takers(speeds));
    if (next.empty()) throw error("the items do not fit into the parts that are left");
    bool const must = must_move(next), has_changed = note_changed_speeds();
    if (must || has_changed || changes_.is_drifting())
      for (auto& place : left_) place.forget();
    else
      keep_from_left_places(next);
    if (next == boundaries_ || (!must && !pays(items, speeds, next))) return trial(items, speeds);
    move_to(next);
    return next;
  }

  /// Counts steps without items. After many of them a part's speed is to be found out anew.
  void note_idle_parts() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      auto& part = parts_[i];
      if (part.work > 0 && part.idle_steps >= patience) part.speed = {}, part.variance_at_move = -1;
      bool const is_idle = part.works && items_ > 0 && boundaries_[i] == boundaries_[i + 1];
      part.idle_steps = is_idle ? part.idle_steps + 1 : 0;
    }
  }
  /// One unit for a part that has been idle so long that this costs 1%, if each idle part gets one.
  template <class Items>
  std::optional<std::vector<std::size_t>> trial(Items const& items, std::vector<double> const& speeds) {
    auto const idle = std::ranges::count_if(parts_, [](auto const& part) { return part.idle_steps > 0; });
    auto const now = slowest(items, speeds, boundaries_) * second();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      auto const rounds = double(parts_[i].idle_steps) / double(patience * std::uint64_t(idle));
      if (!(rounds >= 1)) continue;
      auto next = boundaries_;
      auto const end = next[i] + (std::min)(options_.multiple_of, items_ - next[i]);
      auto const begin = end - 1 - (end - 1) % options_.multiple_of;
      for (std::size_t j = 1; j < parts_.size(); ++j)
        next[j] = j > i ? (std::max)(next[j], end) : (std::min)(next[j], begin);
      auto const moving = 2 * options_.move_seconds * moved_items(next);
      if (!fits(next) || !(slowest(items, speeds, next) * second() + moving <= rounds * now)) continue;
      for (auto& place : left_) place.forget();
      return boundaries_ = next;
    }
    return std::nullopt;
  }

  void learn() {
    note_idle_parts();
    pace_ = common_change();
    changes_.age();
    for (auto const& part : parts_)
      if (part.work > 0 && !part.speed.is_outlier(observed(part), changes_))
        changes_.add(part.speed.past(), observed(part));
    changes_.conclude();
    for (auto& part : parts_) {
      part.speed.pass(changes_);
      if (part.work > 0 && part.speed.learn(observed(part), changes_)) changes_.forget_drift();
      part.work = part.seconds = 0;
    }
  }
  /// How much faster this step was for all parts: the median of the logarithms. It moves no boundary.
  double common_change() const {
    std::vector<double> all;
    for (auto const& part : parts_)
      if (part.work > 0 && part.speed.is_known()) all.push_back(logarithm(part) - part.speed.level());
    std::ranges::sort(all);
    return all.empty() ? pace_ : (all[all.size() / 2] + all[(all.size() - 1) / 2]) / 2;
  }
  static double logarithm(observed_part const& part) { return std::log(part.work) - std::log(part.seconds); }
  double observed(observed_part const& part) const { return logarithm(part) - pace_; }

  /// The logarithm of the greatest known speed, 0 without any.
  double highest_level() const {
    std::optional<double> highest;
    for (auto const& part : parts_)
      if (part.works && part.speed.is_known())
        highest = (std::max)(highest.value_or(part.speed.level()), part.speed.level());
    return highest.value_or(0);
  }
  /// What to multiply costs over relative speeds with.
  double second() const { return std::exp(-pace_ - highest_level()); }
  /// Over the fastest. A part of unknown speed counts as slightly faster, so that it is tried.
  std::vector<double> relative_speeds() const {
    std::vector<double> speeds;
    for (auto const& part : parts_) {
      auto const speed = part.speed.is_known() ? std::exp(part.speed.level() - highest_level()) : 1.05;
      speeds.push_back(part.works ? (std::max)(speed, 1e-260) : 0);  // costs over it are finite
    }
    return speeds;
  }

  /// True if a part that left has items, or if `next` has some for one of unknown speed.
  bool must_move(std::vector<std::size_t> const& next) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].works ? !parts_[i].speed.is_known() && next[i] < next[i + 1]
                          : boundaries_[i] < boundaries_[i + 1])
        return true;
    return false;
  }
  /// True if noise does not explain how far a speed is from what it was at the last move.
  bool has_changed(observed_part const& part) const {
    auto const deviation = std::sqrt(part.variance_at_move * changes_.noise());
    return part.variance_at_move > 0 &&
           std::abs(part.speed.level() - part.level_at_move) > 6 * changes_.caution() * deviation;
  }
  /// Such a speed is followed faster from now on.
  bool note_changed_speeds() {
    bool is_any = false;
    for (auto& part : parts_) {
      if (!has_changed(part)) continue;
      part.speed.hasten();
      is_any = true;
    }
    return is_any;
  }

  void keep_from_left_places(std::vector<std::size_t>& next) const {
    std::vector<std::size_t> highest(next.size(), items_);
    for (std::size_t i = next.size() - 1; i-- > 1;)
      highest[i] = (std::min)(highest[i + 1], left_[i].highest(boundaries_[i], step_, items_));
    std::size_t lowest = 0;
    for (std::size_t i = 1; i + 1 < next.size(); ++i) {
      lowest = (std::max)(lowest, left_[i].lowest(boundaries_[i], step_));
      next[i] = rounded(std::clamp(next[i], lowest, highest[i]), boundaries_[i]);
    }
    if (!fits(next)) next = boundaries_;
  }
  /// A multiple of `multiple_of`, towards `to`, which is one, or all items.
  std::size_t rounded(std::size_t boundary, std::size_t to) const {
    auto const beyond = boundary % options_.multiple_of;
    if (beyond == 0 || boundary == items_ || boundary == to) return boundary;
    return boundary > to ? boundary - beyond : (std::min)(boundary - beyond + options_.multiple_of, to);
  }
  bool fits(std::vector<std::size_t> const& next) const {
    for (std::size_t i = 0; i < options_.capacity.size(); ++i)
      if (next[i + 1] - next[i] > options_.capacity[i]) return false;
    return true;
  }

  template <class Items>
  bool pays(Items const& items, std::vector<double> const& speeds, std::vector<std::size_t> const& next) {
    auto const now = slowest(items, speeds, boundaries_), then = slowest(items, speeds, next);
    if (!(then < (1 - (std::max)(0.01, uncertainty() / 2)) * now)) {
      lost_seconds_ = 0;
      return false;
    }
    lost_seconds_ += (now - then) * second();
    return options_.move_seconds == 0 || lost_seconds_ >= options_.move_seconds * moved_items(next);
  }
  template <class Items>
  static double slowest(Items const& items, std::vector<double> const& speeds,
                        std::vector<std::size_t> const& boundaries) {
    double most = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (boundaries[i] < boundaries[i + 1])
        most = (std::max)(most, items.cost(boundaries[i], boundaries[i + 1]) / speeds[i]);
    return most;
  }
  /// The deviation to expect of a known speed.
  double uncertainty() const {
    double variance = 0;
    for (auto const& part : parts_) variance += part.speed.variance();
    return std::sqrt(changes_.noise() * variance / double(parts_.size()));
  }
  double moved_items(std::vector<std::size_t> const& next) const {
    double items = 0;
    for (std::size_t i = 0; i < next.size(); ++i) items += std::abs(double(next[i]) - double(boundaries_[i]));
    return items;
  }

  void move_to(std::vector<std::size_t> const& next) {
    bool const must = must_move(next);
    for (std::size_t i = 0; i < next.size(); ++i)
      if (next[i] != boundaries_[i] && !must) left_[i].note_move(boundaries_[i], next[i], step_);
    for (auto& part : parts_) {
      part.level_at_move = part.speed.level();
      part.variance_at_move = part.speed.is_known() ? part.speed.variance() : -1;
    }
    boundaries_ = next;
    lost_seconds_ = 0;
  }

  static constexpr std::uint64_t patience = 100;  ///< the fewest steps between two trials of an idle part

  balancer_options options_;
  std::size_t items_;
  std::vector<observed_part> parts_;
  std::vector<detail::left_places> left_;  ///< by each boundary
  std::vector<std::size_t> boundaries_;
  detail::speed_changes changes_;
  double pace_ = 0;          ///< the logarithm of what all speeds have in common in this step
  double lost_seconds_ = 0;  ///< by steps since a move would have paid
  std::uint64_t step_ = 0;
};

}  // namespace ballast
