// SPDX-License-Identifier: Apache-2.0
#include "ballast/balance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace ballast::test::balance_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

using numbers = std::vector<double>;
using counts = std::vector<std::size_t>;

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto most_items = std::numeric_limits<std::size_t>::max();

std::string refused(std::function<void()> const& call) {
  try {
    call();
  } catch (bad_argument const& refusal) { return refusal.argument(); }
  return "nothing";
}

std::size_t sum_of(counts const& all) { return std::accumulate(all.begin(), all.end(), std::size_t(0)); }

TEST(shares, are_in_proportion_to_the_speeds) {
  EXPECT_THAT(shares(numbers{3, 1}, 100), ElementsAre(75, 25));
  EXPECT_THAT(shares(numbers{1, 0, 2}, 30), ElementsAre(10, 0, 20));
}

TEST(shares, give_what_is_left_to_the_largest_remainders_of_equal_ones_to_the_first) {
  EXPECT_THAT(shares(numbers{1, 1, 1}, 10), ElementsAre(4, 3, 3));
  EXPECT_THAT(shares(numbers{5, 3, 1}, 10), ElementsAre(6, 3, 1));
}

TEST(shares, are_none_of_nothing_and_nothing_for_none) {
  EXPECT_THAT(shares(numbers{}, 0), IsEmpty());
  EXPECT_THAT(shares(numbers{1, 2}, 0), ElementsAre(0, 0));
  EXPECT_THAT(shares(numbers{0, 0}, 0), ElementsAre(0, 0));
}

TEST(shares, of_one_part_are_all) {
  EXPECT_THAT(shares(numbers{0.001}, most_items), ElementsAre(most_items));
}

TEST(shares, put_all_boundaries_at_multiples) {
  EXPECT_THAT(shares(numbers{1, 1}, 100, {.multiple_of = 8}), ElementsAre(48, 52));
  EXPECT_THAT(shares(numbers{1, 1, 0}, 7, {.multiple_of = 8}), ElementsAre(0, 7, 0));
}

TEST(shares, are_no_smaller_than_the_least) {
  EXPECT_THAT(shares(numbers{100, 1, 0, 1}, 100, {.min_each = 10}), ElementsAre(80, 10, 0, 10));
  EXPECT_THAT(shares(numbers{100, 1}, 20, {.min_each = 10}), ElementsAre(10, 10));
}

TEST(shares, hold_for_speeds_and_totals_at_the_ends_of_their_types) {
  EXPECT_THAT(shares(numbers{1e308, 1e308, 1e308}, 9), ElementsAre(3, 3, 3));
  EXPECT_THAT(shares(numbers{5e-324, 5e-324}, 8), ElementsAre(4, 4));
  EXPECT_THAT(shares(numbers{1e308, 1e-308}, 10, {.multiple_of = 1, .min_each = 2}), ElementsAre(8, 2));
  EXPECT_EQ(sum_of(shares(numbers{1, 2, 3, 0.1, 7}, most_items)), most_items);
  EXPECT_THAT(shares(numbers{1, 1}, most_items, {.multiple_of = most_items}), ElementsAre(most_items, 0));
}

TEST(shares, give_all_even_if_what_is_beyond_the_least_is_too_little_for_a_double) {
  constexpr auto half = std::size_t(1) << 59;
  EXPECT_THAT(shares(numbers{1, 1}, half * 2, {.min_each = half - 1}), ElementsAre(half, half));
  EXPECT_THAT(shares(numbers{1, 0, 1, 1}, half * 3, {.min_each = half - 1}),
              ElementsAre(half, 0, half, half));
  EXPECT_THAT(shares(numbers{0, 1}, half, {.min_each = half - 1}), ElementsAre(0, half));
}

TEST(shares, refuse_what_they_cannot_keep) {
  EXPECT_EQ(refused([] { shares(numbers{}, 1); }), "speeds");
  EXPECT_EQ(refused([] { shares(numbers{0, 0}, 1); }), "speeds");
  for (double const speed : {-1.0, infinity, not_a_number})
    EXPECT_EQ(refused([&] { shares(numbers{1, speed}, 5); }), "speeds") << speed;
  EXPECT_EQ(refused([] { shares(numbers{1}, 5, {.multiple_of = 0}); }), "multiple_of");
  EXPECT_EQ(refused([] { shares(numbers{1}, 5, {.multiple_of = 2, .min_each = 3}); }), "min_each");
  EXPECT_EQ(refused([] { shares(numbers{1, 1}, 9, {.min_each = 5}); }), "min_each");
  EXPECT_EQ(refused([] { shares(numbers{1, 1}, 9, {.min_each = most_items}); }), "min_each");
}

TEST(shares, of_random_speeds_differ_from_the_proportion_by_less_than_two_units_and_keep_the_least) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 3000; ++trial) {
    numbers speeds(1 + random() % 9);
    for (auto& speed : speeds) speed = double(random() % 8);
    speeds[random() % speeds.size()] = 1;
    auto const working = speeds.size() - std::size_t(std::ranges::count(speeds, 0.0));
    share_options const rounding{1 + random() % 5, 0};
    auto const least = rounding.multiple_of * (random() % 3);
    auto const total = least * working + random() % 200;
    auto const loose = shares(speeds, total, rounding);
    auto const all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    for (std::size_t i = 0; i < speeds.size(); ++i)
      EXPECT_LT(std::abs(double(loose[i]) - double(total) * speeds[i] / all),
                double(rounding.multiple_of) * 2);
    auto const kept = shares(speeds, total, {rounding.multiple_of, least});
    EXPECT_EQ(sum_of(kept), total);
    std::size_t boundary = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      EXPECT_GE(kept[i], speeds[i] > 0 ? least : 0);
      boundary += kept[i];
      EXPECT_TRUE(boundary % rounding.multiple_of == 0 || boundary == total);
    }
  }
}

/// The time of the slowest part.
double time_of(counts const& boundaries, numbers const& costs, numbers const& speeds) {
  double slowest = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    auto const at = [&](std::size_t item) { return costs.begin() + std::ptrdiff_t(boundaries[item]); };
    auto const cost = std::accumulate(at(i), at(i + 1), 0.0);
    if (at(i) != at(i + 1)) slowest = std::max(slowest, speeds[i] > 0 ? cost / speeds[i] : infinity);
  }
  return slowest;
}

/// The least time of all ways to cut, by trying them; infinite if none fits.
double least_time(numbers const& costs, numbers const& speeds, counts const& capacity, counts cut = {0}) {
  if (cut.size() <= speeds.size()) {
    auto least = infinity;
    auto const first = cut.size() == speeds.size() ? costs.size() : cut.back();
    for (cut.push_back(first); cut.back() <= costs.size(); ++cut.back())
      if (cut.back() - *(cut.end() - 2) <= capacity[cut.size() - 2])
        least = std::min(least, least_time(costs, speeds, capacity, cut));
    return least;
  }
  return time_of(cut, costs, speeds);
}

TEST(cut_costs, ends_the_slowest_part_as_early_as_possible) {
  EXPECT_THAT(cut_costs(numbers{1, 1, 1, 1, 4}, numbers{1, 1}), ElementsAre(0, 4, 5));
  EXPECT_THAT(cut_costs(std::vector<int>{1, 1, 1, 1, 1, 1}, numbers{1, 2}), ElementsAre(0, 2, 6));
}

TEST(cut_costs, leaves_parts_empty_that_have_no_item_or_no_speed) {
  EXPECT_THAT(cut_costs(numbers{}, numbers{}), ElementsAre(0));
  EXPECT_THAT(cut_costs(numbers{}, numbers{1, 0}), ElementsAre(0, 0, 0));
  EXPECT_THAT(cut_costs(numbers{5}, numbers{0, 1, 0}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(cut_costs(numbers{2, 2}, numbers{1, 1, 1, 1}), ElementsAre(0, 1, 2, 2, 2));
}

TEST(cut_costs, gives_items_without_cost_to_a_part_that_works) {
  EXPECT_THAT(cut_costs(numbers{0, 0, 0}, numbers{0, 1, 1}), ElementsAre(0, 0, 3, 3));
}

TEST(cut_costs, gives_one_giant_among_many_tiny_items_to_a_part_of_its_own) {
  numbers costs(1001, 1);
  costs[500] = 1e15;
  auto const boundaries = cut_costs(costs, numbers{1, 1000, 1});
  EXPECT_LE(boundaries[1], 500u);
  EXPECT_GE(boundaries[2], 501u);
}

TEST(cut_costs, fills_capacities_that_just_fit) {
  counts const capacity{1, 3, 2};
  EXPECT_THAT(cut_costs(numbers{9, 1, 1, 1, 9, 9}, numbers{1, 100, 1}, {.capacity = capacity}),
              ElementsAre(0, 1, 4, 6));
}

TEST(cut_costs, gives_items_to_a_part_of_any_speed_above_0_if_nobody_else_has_room) {
  counts const no_room_in_the_first{0, 1};
  for (double const speed : {1e-300, 5e-324})
    EXPECT_THAT(cut_costs(numbers{1e10}, numbers{1, speed}, {no_room_in_the_first}), ElementsAre(0, 0, 1));
}

TEST(cut_costs, says_when_nothing_fits) {
  counts const one_too_few{1, 1}, of_who_does_not_work{1, 5}, for_one{9};
  EXPECT_EQ(refused([&] { cut_costs(numbers{1, 1, 1}, numbers{1, 1}, {one_too_few}); }), "capacity");
  EXPECT_EQ(refused([&] { cut_costs(numbers{1, 1, 1}, numbers{1, 0}, {of_who_does_not_work}); }), "capacity");
  EXPECT_EQ(refused([&] { cut_costs(numbers{1, 1}, numbers{1, 1}, {for_one}); }), "the size of capacity");
}

TEST(cut_costs, takes_integers_whose_sum_exceeds_64_bits) {
  EXPECT_THAT(cut_costs(std::vector<std::uint64_t>(4, most_items), numbers{1, 3}), ElementsAre(0, 1, 4));
}

template <class Costs>
constexpr bool has_costs = requires(Costs const& costs, numbers const& speeds) {
  cut_costs(costs, speeds);
  longest_first(costs, speeds);
  balancer(1, 1).propose(costs);
};

TEST(cut_costs, takes_what_can_be_read_as_const_and_becomes_double) {
  using only_writable = decltype(std::views::filter(std::declval<numbers&>(), [](double) { return true; }));
  EXPECT_TRUE(has_costs<counts>);
  EXPECT_FALSE(has_costs<std::vector<std::string>>);
  EXPECT_FALSE(has_costs<only_writable>);
}

TEST(cut_costs, refuses_costs_and_speeds_that_are_no_amounts) {
  for (double const amount : {-1.0, infinity, not_a_number}) {
    EXPECT_EQ(refused([&] { cut_costs(numbers{1, amount}, numbers{1}); }), "costs") << amount;
    EXPECT_EQ(refused([&] { cut_costs(numbers{1}, numbers{1, amount}); }), "speeds") << amount;
  }
  EXPECT_EQ(refused([] { cut_costs(numbers{1e308, 1e308}, numbers{1}); }), "the sum of costs");
  EXPECT_EQ(refused([] { cut_costs(numbers{1}, numbers{0}); }), "speeds");
}

TEST(cut_costs, is_as_fast_as_the_best_of_all_cuts_of_random_items) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    numbers costs(random() % 9), speeds(1 + random() % 4);
    for (auto& cost : costs) cost = random() % 4 == 0 ? double(random() % 100) : double(random() % 3);
    for (auto& speed : speeds) speed = double(random() % 5);
    speeds.back() += 1;
    counts capacity(speeds.size());
    for (auto& most : capacity) most = random() % 6;
    auto const best = least_time(costs, speeds, capacity);
    if (best == infinity) {
      EXPECT_EQ(refused([&] { cut_costs(costs, speeds, {capacity}); }), "capacity");
      continue;
    }
    auto const cut = cut_costs(costs, speeds, {capacity});
    EXPECT_NEAR(time_of(cut, costs, speeds), best, best * 1e-12);
    for (std::size_t i = 0; i < speeds.size(); ++i) EXPECT_LE(cut[i + 1] - cut[i], capacity[i]);
  }
}

double slowest_of(counts const& part, numbers const& costs, numbers const& speeds) {
  numbers load(speeds.size());
  for (std::size_t i = 0; i < costs.size(); ++i) load[part[i]] += costs[i];
  double slowest = 0;
  for (std::size_t i = 0; i < load.size(); ++i)
    if (load[i] > 0) slowest = std::max(slowest, load[i] / speeds[i]);
  return slowest;
}

/// By trying all ways.
double least_slowest(numbers const& costs, numbers const& speeds, counts part = {}) {
  if (part.size() == costs.size()) return slowest_of(part, costs, speeds);
  auto least = infinity;
  for (part.push_back(0); part.back() < speeds.size(); ++part.back())
    least = std::min(least, least_slowest(costs, speeds, part));
  return least;
}

TEST(longest_first, gives_each_item_to_the_part_that_ends_first_with_it) {
  EXPECT_THAT(longest_first(numbers{1, 5, 3, 3}, numbers{1, 1}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(longest_first(std::vector<int>{4, 4, 4}, numbers{1, 0, 3}), ElementsAre(2, 2, 0));
}

TEST(longest_first, has_nothing_to_give_without_items_and_gives_what_costs_nothing_to_who_works) {
  EXPECT_THAT(longest_first(numbers{}, numbers{}), IsEmpty());
  EXPECT_THAT(longest_first(numbers{0, 0}, numbers{0, 1}), Each(1));
  EXPECT_THAT(longest_first(numbers{7}, numbers{1, 2, 2}), ElementsAre(1));
}

TEST(longest_first, refuses_what_cut_costs_refuses) {
  EXPECT_EQ(refused([] { longest_first(numbers{not_a_number}, numbers{1}); }), "costs");
  EXPECT_EQ(refused([] { longest_first(numbers{1}, numbers{infinity}); }), "speeds");
  EXPECT_EQ(refused([] { longest_first(numbers{1}, numbers{}); }), "speeds");
}

TEST(longest_first, is_within_its_guarantee_of_the_best_of_random_items) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 600; ++trial) {
    numbers costs(1 + random() % 7), speeds(1 + random() % 3, 1.0);
    for (auto& cost : costs) cost = double(1 + random() % 50);
    bool const are_equal = random() % 2 == 0;
    if (!are_equal)
      for (auto& speed : speeds) speed = double(1 + random() % 20);
    auto const found = slowest_of(longest_first(costs, speeds), costs, speeds);
    EXPECT_LE(found, least_slowest(costs, speeds) * (are_equal ? 4.0 / 3 : 5.0 / 3) * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace ballast::test::balance_test
