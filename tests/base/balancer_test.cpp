// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ballast/balance.hpp"

namespace ballast::test::balancer_test {
namespace {

using testing::ElementsAre;

using counts = std::vector<std::size_t>;
using numbers = std::vector<double>;

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string refused(std::function<void()> const& call) {
  try {
    call();
  } catch (bad_argument const& refusal) { return refusal.argument(); }
  return "nothing";
}

/// A step of parts with these speeds, whose times have no noise; true if boundaries moved.
bool step(balancer& balance, numbers const& speeds) {
  auto const at = balance.boundaries();
  for (std::size_t i = 0; i < speeds.size(); ++i)
    if (at[i] < at[i + 1])
      balance.observe(i, double(at[i + 1] - at[i]), double(at[i + 1] - at[i]) / speeds[i]);
  return balance.propose().has_value();
}

/// The time of the slowest part.
double slowest_of(counts const& at, numbers const& speeds) {
  double slowest = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i)
    slowest = std::max(slowest, double(at[i + 1] - at[i]) / speeds[i]);
  return slowest;
}

int moves(balancer& balance, numbers const& speeds, int steps) {
  int moves = 0;
  for (int i = 0; i < steps; ++i) moves += step(balance, speeds);
  return moves;
}

TEST(balancer, begins_with_parts_of_equally_many_items) {
  EXPECT_THAT(balancer(3, 9).boundaries(), ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(balancer(8, 9).boundaries(), ElementsAre(0, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(balancer(2, 0).boundaries(), ElementsAre(0, 0, 0));
  EXPECT_THAT(balancer(3, 100, {.capacity = {10, 50, 60}}).boundaries(), ElementsAre(0, 10, 55, 100));
}

TEST(balancer, moves_boundaries_to_the_speeds_once_and_then_keeps_them) {
  balancer balance(2, 400);
  EXPECT_TRUE(step(balance, {3, 1}));
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 300, 400));
  EXPECT_EQ(moves(balance, {3, 1}, 50), 0);
}

TEST(balancer, returns_the_boundaries_that_it_has_from_then_on) {
  balancer balance(2, 100);
  balance.observe(0, 50, 1);
  balance.observe(1, 50, 4);
  auto const next = balance.propose();
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, balance.boundaries());
  EXPECT_FALSE(balance.propose());
}

TEST(balancer, keeps_boundaries_for_less_than_a_hundredth) {
  balancer balance(2, 1'000'000);
  EXPECT_EQ(moves(balance, {1.009, 1}, 30), 0);
  EXPECT_GT(moves(balance, {1.05, 1}, 30), 0);
}

TEST(balancer, takes_steps_that_are_longer_for_all_parts_for_no_noise) {
  balancer balance(3, 6000);
  step(balance, {1, 2, 3});
  int moved = 0;
  for (int i = 0; i < 20; ++i)
    for (double const pace : {0.1, 10.0, 3.0, 0.5}) moved += step(balance, {pace, 2 * pace, 3 * pace});
  EXPECT_EQ(moved, 0);
  for (double const pace : {0.1, 10.0, 3.0, 0.5}) step(balance, {pace, 2 * pace, 2 * pace});
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 1200, 3600, 6000));
}

TEST(balancer, ignores_one_outlier_and_follows_a_step_in_speed) {
  balancer balance(4, 1000);
  moves(balance, {1, 1, 1, 1}, 20);
  EXPECT_EQ(moves(balance, {1, 0.1, 1, 1}, 1), 0);
  EXPECT_EQ(moves(balance, {1, 1, 1, 1}, 20), 0);
  EXPECT_GT(moves(balance, {1, 3, 1, 1}, 3), 0);
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 167, 667, 834, 1000));
}

TEST(balancer, moves_once_what_waiting_has_lost_makes_up_for_the_move) {
  balancer free(2, 100), costly(2, 100, {.move_seconds = 10});
  EXPECT_TRUE(step(free, {3, 1}));
  // A step takes 50 s, 25 after a move of 25 items that takes 250.
  EXPECT_EQ(moves(costly, {3, 1}, 9), 0);
  EXPECT_EQ(moves(costly, {3, 1}, 2), 1);
}

TEST(balancer, keeps_to_capacities_and_multiples) {
  balancer balance(2, 100, {.capacity = {60, 90}, .multiple_of = 8});
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 48, 100));
  moves(balance, {9, 1}, 3);
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 56, 100));
}

TEST(balancer, cuts_items_by_their_costs) {
  balancer balance(2, 6);
  numbers const costs{1, 1, 1, 1, 1, 5};
  balance.observe(0, 3, 3);
  balance.observe(1, 7, 7);
  ASSERT_TRUE(balance.propose(costs));
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 5, 6));
  EXPECT_EQ(refused([&] { balance.propose(numbers{1, 2}); }), "the number of costs");
  EXPECT_EQ(refused([&] { balance.propose(numbers(6, not_a_number)); }), "costs");
}

TEST(balancer, takes_all_items_from_a_part_that_leaves) {
  balancer balance(3, 90);
  moves(balance, {1, 1, 1}, 5);
  balance.leave(1);
  ASSERT_TRUE(balance.propose());
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 45, 45, 90));
  EXPECT_EQ(moves(balance, {1, 1, 1}, 30), 0);
  balance.leave(0);
  balance.leave(2);
  EXPECT_THROW(balance.propose(), error);
}

/// Costs of 30 items: `cost` for those from `begin` up to `end`, else 0.
numbers with_costs(numbers costs, std::size_t begin, std::size_t end, double cost) {
  for (auto i = begin; i < end; ++i) costs[i] = cost;
  return costs;
}

TEST(balancer, gives_no_item_to_a_part_that_left_even_if_boundaries_may_not_return) {
  balancer balance(3, 30);
  for (std::size_t part = 0; part < 3; ++part) balance.observe(part, 10, 10);
  balance.leave(1);
  numbers const none(30);
  balance.propose(with_costs(none, 26, 30, 1));
  EXPECT_EQ(balance.boundaries()[1], balance.boundaries()[2]);
  balance.propose(with_costs(with_costs(none, 0, 10, 10), 24, 28, 5));
  EXPECT_EQ(balance.boundaries()[1], balance.boundaries()[2]);
}

TEST(balancer, gives_no_item_to_parts_that_left_for_any_costs) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 300; ++trial) {
    balancer balance(5, 30);
    moves(balance, {1, 1, 1, 1, 1}, 2);
    auto const one = random() % 5, other = random() % 5;
    for (int i = 0; i < 60; ++i) {
      if (i == 30) balance.leave(one), balance.leave(other);
      auto const begin = random() % 30;
      balance.propose(with_costs(numbers(30, 0.1), begin, begin + random() % (31 - begin), 5));
      auto const& at = balance.boundaries();
      EXPECT_TRUE(std::ranges::is_sorted(at) && at.front() == 0 && at.back() == 30);
      for (auto const part : {one, other}) EXPECT_TRUE(i < 30 || at[part] == at[part + 1]);
    }
  }
}

TEST(balancer, tries_a_part_that_joins_and_then_knows_its_speed) {
  balancer balance(2, 120);
  moves(balance, {1, 1}, 5);
  balance.join(2);
  EXPECT_TRUE(balance.propose());
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 40, 80, 120));
  moves(balance, {1, 1, 0.5}, 3);
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 48, 96, 120));
  balance.leave(0);
  balance.propose();
  balance.join(0);
  EXPECT_TRUE(balance.propose());
  EXPECT_GT(balance.boundaries()[1], 0u);
}

TEST(balancer, finds_the_fast_parts_when_there_are_fewer_items_than_parts) {
  balancer balance(5, 2);
  numbers const speeds{1, 1, 1, 9, 10};
  moves(balance, speeds, 10);
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 0, 0, 0, 1, 2));
}

TEST(balancer, gives_items_again_to_a_part_that_was_slow_for_some_steps) {
  balancer balance(4, 64);
  moves(balance, {1, 1, 1, 1}, 20);
  moves(balance, {1, 1, 1. / 30, 1}, 20);
  EXPECT_EQ(balance.boundaries()[2], balance.boundaries()[3]);
  moves(balance, {1, 1, 1, 1}, 200);
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 16, 32, 48, 64));
}

TEST(balancer, gives_items_again_to_any_part_that_was_slow_in_the_first_step) {
  for (std::size_t const items : {4u, 8u})
    for (std::size_t slow = 0; slow < 4; ++slow) {
      balancer balance(4, items);
      numbers speeds(4, 1);
      speeds[slow] = items == 4 ? 1. / 3 : 1. / 5;
      step(balance, speeds);
      EXPECT_EQ(balance.boundaries()[slow], balance.boundaries()[slow + 1]);
      moves(balance, {1, 1, 1, 1}, 250);
      EXPECT_THAT(balance.boundaries(), ElementsAre(0, items / 4, items / 2, items / 4 * 3, items));
    }
}

/// How much longer than without them the steps of 10 000 take in which a part is tried.
double cost_of_trials(balancer& balance, numbers const& speeds, double move_seconds = 0) {
  moves(balance, speeds, 10);
  auto const usual = slowest_of(balance.boundaries(), speeds);
  double more = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto const before = balance.boundaries();
    more += slowest_of(before, speeds) - usual;
    step(balance, speeds);
    for (std::size_t part = 0; part < speeds.size(); ++part)
      more += move_seconds * std::abs(double(before[part]) - double(balance.boundaries()[part]));
  }
  return more / 10'000 / usual;
}

TEST(balancer, tries_parts_that_stay_slow_so_rarely_that_it_costs_a_hundredth) {
  balancer one(4, 64), many(8, 4), costly(4, 64, {.move_seconds = 1}), by_fours(3, 10, {.multiple_of = 4});
  EXPECT_LE(cost_of_trials(one, {1, 1, 1. / 30, 1}), 0.011);
  EXPECT_LE(cost_of_trials(many, {1, .01, .1, 1, .01, .2, 1, .1}), 0.011);
  EXPECT_LE(cost_of_trials(costly, {1, 1, 1. / 30, 1}, 1), 0.02);
  EXPECT_LE(cost_of_trials(by_fours, {1, .1, 1}), 0.011);
  EXPECT_EQ(many.boundaries().back(), 4u);
}

TEST(balancer, tries_no_part_that_may_have_no_items) {
  balancer full(3, 10, {.capacity = {9, 0, 9}}), none(3, 0), left(3, 10);
  left.leave(1);
  left.propose();
  for (auto* balance : {&full, &none, &left}) EXPECT_LE(moves(*balance, {1, 1, 1}, 1000), 0);
}

TEST(balancer, refuses_times_and_work_that_are_none) {
  balancer balance(2, 10);
  for (double const amount : {0.0, -1.0, infinity, not_a_number})
    EXPECT_EQ(refused([&] { balance.observe(0, 5, amount); }), "seconds") << amount;
  for (double const amount : {-1.0, infinity, not_a_number})
    EXPECT_EQ(refused([&] { balance.observe(0, amount, 1); }), "work") << amount;
  EXPECT_EQ(refused([&] { balance.observe(0, 0, -1); }), "seconds");
  EXPECT_FALSE(balance.propose());
  balance.observe(0, 1e308, 1e308);
  EXPECT_EQ(refused([&] { balance.observe(0, 1e308, 1); }), "work");
  EXPECT_EQ(refused([&] { balance.observe(0, 1, 1e308); }), "seconds");
}

TEST(balancer, learns_nothing_from_no_work) {
  balancer balance(2, 10);
  balance.observe(0, 0, 100);
  balance.observe(0, 0, 0);
  balance.observe(1, 5, 1);
  balance.propose();
  balance.observe(0, 5, 1);
  balance.propose();
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 5, 10));
}

TEST(balancer, refuses_parts_that_it_does_not_have_and_items_that_do_not_fit) {
  for (std::size_t const parts : {std::size_t(0), std::numeric_limits<std::size_t>::max()})
    EXPECT_EQ(refused([&] { balancer(parts, 9); }), "parts");
  EXPECT_EQ(refused([] { balancer(2, 5, {.capacity = {2, 2}}); }), "items");
  EXPECT_EQ(refused([] { balancer(2, 5, {.capacity = {9}}); }), "the size of capacity");
  EXPECT_EQ(refused([] { balancer(2, 5, {.multiple_of = 0}); }), "multiple_of");
  EXPECT_EQ(refused([] { balancer(2, 5, {.move_seconds = -1}); }), "move_seconds");
  balancer balance(2, 5), full(2, 5, {.capacity = {3, 3}});
  EXPECT_EQ(refused([&] { balance.observe(2, 1, 1); }), "part");
  EXPECT_EQ(refused([&] { balance.leave(2); }), "part");
  EXPECT_EQ(refused([&] { balance.join(3); }), "part");
  EXPECT_EQ(refused([&] { full.join(2); }), "part");
  full.leave(0);
  EXPECT_THROW(full.propose(), error);
}

TEST(balancer, is_the_same_for_the_same_observations) {
  balancer one(7, 12345), same(7, 12345);
  for (int i = 0; i < 40; ++i) {
    numbers speeds;
    for (int part = 0; part < 7; ++part) speeds.push_back(1 + (i * 37 + part * 11) % 5);
    step(one, speeds), step(same, speeds);
    EXPECT_EQ(one.boundaries(), same.boundaries());
  }
}

TEST(balancer, gives_items_to_a_part_that_took_very_long_if_nobody_else_has_room) {
  balancer balance(2, 10, {.capacity = {6, 6}});
  balance.observe(0, 1e300, 1e-300);
  balance.observe(1, 1e-300, 1e300);
  balance.propose();
  EXPECT_THAT(balance.boundaries(), ElementsAre(0, 6, 10));
}

TEST(balancer, holds_for_times_at_the_ends_of_their_type) {
  balancer balance(2, 1000);
  balance.observe(0, 1e308, 5e-324);
  balance.observe(1, 5e-324, 1e308);
  balance.propose();
  EXPECT_EQ(balance.boundaries().back(), 1000u);
  EXPECT_GE(balance.boundaries()[1], 999u);
}

}  // namespace
}  // namespace ballast::test::balancer_test
