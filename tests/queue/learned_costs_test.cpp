// SPDX-License-Identifier: Apache-2.0
// What parts become over several steps, on devices that do not exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "backlog.hpp"
#include "kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::size_t sections_of_a_part = 64;

/// A task's cost by where it is in the batch, 0 to 1.
using cost_along = std::function<double(double)>;

std::vector<double> costs_of(std::size_t tasks, cost_along const& cost) {
  std::vector<double> all;
  for (std::size_t i = 0; i < tasks; ++i) all.push_back(cost((double(i) + 0.5) / double(tasks)));
  return all;
}

double sum(std::vector<double> const& costs, task_run const& of) {
  return std::accumulate(costs.begin() + std::ptrdiff_t(of.first), costs.begin() + std::ptrdiff_t(of.end()),
                         0.0);
}

/// How a step went.
struct step_result {
  double imbalance;    ///< the longest part over the mean, if each device had run its own
  double makespan;     ///< with what devices took of others
  double taken_share;  ///< tasks that ran on another device than their part's
};

/// Devices of these speeds that run batch after batch of the same costs. Each asks when it is idle, and is
/// given half of its share of what is left, as `drain` does.
class invented_devices {
 public:
  invented_devices(std::vector<double> speeds, std::vector<double> costs)
      : speeds_(std::move(speeds)), costs_(std::move(costs)) {}

  step_result step() {
    auto const borders = learned_.cut(kind(), speeds_.size());
    check(borders);
    step_result result{imbalance_of(borders), 0, 0};
    batch_parts left(borders);
    batch_costs seen(costs_.size(), costs_.size() > speeds_.size() ? sections_of_a_part * speeds_.size() : 0);
    std::vector<double> ends(speeds_.size());
    for (auto waiting = costs_.size(); waiting > 0;) {
      auto const device = std::size_t(std::ranges::min_element(ends) - ends.begin());
      auto const got = left.take(device, std::max<std::size_t>(1, waiting / (2 * speeds_.size())));
      EXPECT_GT(got.count, 0u);
      if (got.count == 0) break;
      auto const took = sum(costs_, got) / speeds_[device];
      seen.add(got, took);
      ends[device] += took;
      waiting -= got.count;
      if (got.first < borders[device] || got.end() > borders[device + 1])
        result.taken_share += double(got.count) / double(costs_.size());
    }
    EXPECT_TRUE(left.empty());
    if (seen.are_known()) learned_.learn(kind(), seen);
    result.makespan = *std::ranges::max_element(ends);
    return result;
  }
  step_result steps(int count) {
    for (int i = 1; i < count; ++i) step();
    return step();
  }
  /// No devices can be faster.
  double bound() const {
    auto const all = std::accumulate(costs_.begin(), costs_.end(), 0.0);
    return std::max(all / std::accumulate(speeds_.begin(), speeds_.end(), 0.0),
                    *std::ranges::max_element(costs_) / *std::ranges::max_element(speeds_));
  }

 private:
  learned_costs::kind kind() const { return {1, costs_.size()}; }

  void check(std::vector<std::size_t> const& borders) const {
    ASSERT_EQ(borders.size(), speeds_.size() + 1);
    EXPECT_EQ(borders.front(), 0u);
    EXPECT_EQ(borders.back(), costs_.size());
    EXPECT_TRUE(std::ranges::is_sorted(borders));
  }
  double imbalance_of(std::vector<std::size_t> const& borders) const {
    std::vector<double> parts;
    for (std::size_t d = 0; d < speeds_.size(); ++d)
      parts.push_back(sum(costs_, {borders[d], borders[d + 1] - borders[d]}) / speeds_[d]);
    return *std::ranges::max_element(parts) * double(parts.size()) /
           std::accumulate(parts.begin(), parts.end(), 0.0);
  }

  std::vector<double> speeds_, costs_;
  learned_costs learned_;
};

std::vector<double> equally_fast(std::size_t devices) { return std::vector(devices, 1.0); }

std::vector<double> unequally_fast(std::size_t devices) {
  std::vector<double> speeds;
  for (std::size_t d = 0; d < devices; ++d) speeds.push_back(double(1 + d % 3));
  return speeds;
}

double gaussian(double at, double middle, double width) {
  return std::exp(-0.5 * (at - middle) * (at - middle) / (width * width)) + 0.05;
}

struct smooth_cost {
  std::string name;
  cost_along cost;
};

std::vector<smooth_cost> smooth_costs() {
  return {{"equal", [](double) { return 1.0; }},
          {"gaussian", [](double at) { return gaussian(at, 0.5, 0.2); }},
          {"gaussian off the middle", [](double at) { return gaussian(at, 0.3, 0.15); }},
          {"rising", [](double at) { return at; }},
          {"wave", [](double at) { return 1.2 + std::sin(12 * at); }}};
}

class learned_parts_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(devices, learned_parts_of, testing::Values(2, 3, 4, 5, 8, 16, 33, 64));

TEST_P(learned_parts_of, smooth_costs_take_equally_long_in_the_third_step) {
  for (auto const& [name, cost] : smooth_costs()) {
    invented_devices devices(equally_fast(GetParam()), costs_of(16384, cost));
    auto const third = devices.steps(3);
    EXPECT_LE(third.imbalance, 1.03) << name;
    EXPECT_LE(third.taken_share, 0.03) << name;
    EXPECT_LE(third.makespan, 1.03 * devices.bound()) << name;
  }
}

TEST_P(learned_parts_of, smooth_costs_stay_so) {
  for (auto const& [name, cost] : smooth_costs()) {
    invented_devices devices(equally_fast(GetParam()), costs_of(16384, cost));
    devices.steps(3);
    for (int step = 0; step < 20; ++step) EXPECT_LE(devices.step().imbalance, 1.03) << name;
  }
}

TEST_P(learned_parts_of, unequal_devices_come_to_fit_their_speeds) {
  for (auto const& [name, cost] : smooth_costs()) {
    invented_devices devices(unequally_fast(GetParam()), costs_of(16384, cost));
    auto const first = devices.step();
    auto const third = devices.steps(2);
    EXPECT_LT(third.imbalance, first.imbalance) << name;
    EXPECT_LT(third.taken_share, 0.5 * first.taken_share) << name;
    auto const later = devices.steps(20);
    EXPECT_LE(later.taken_share, 0.03) << name;
    EXPECT_LE(later.makespan, 1.15 * devices.bound()) << name;
  }
}

TEST_P(learned_parts_of, one_giant_among_tiny_tasks_leave_these_to_the_others) {
  auto costs = std::vector(4096, 1.0);
  costs[1000] = 2000;
  invented_devices devices(equally_fast(GetParam()), costs);
  auto const third = devices.steps(3);
  if (GetParam() > 3)  // then it is longer than a share
    EXPECT_LE(third.makespan, devices.bound() + 4096.0 / double(2 * GetParam()))
        << "more than a piece beside it";
  else
    EXPECT_LE(third.makespan, 2 * devices.bound());
}

TEST(learned_costs, know_nothing_of_a_new_size_and_a_new_kernel) {
  learned_costs learned;
  batch_costs costs(100, 64);
  costs.add({0, 10}, 90);
  costs.add({10, 90}, 10);
  learned.learn({1, 100}, costs);
  EXPECT_LT(learned.cut({1, 100}, 2)[1], 10u);
  EXPECT_EQ(learned.cut({1, 102}, 2), (std::vector<std::size_t>{0, 51, 102}));
  EXPECT_EQ(learned.cut({2, 100}, 2), (std::vector<std::size_t>{0, 50, 100}));
}

TEST(learned_costs, are_those_of_the_last_batch_of_the_kind) {
  learned_costs learned;
  batch_costs first(100, 64), second(100, 64);
  first.add({0, 1}, 1000);
  second.add({0, 50}, 30);
  second.add({50, 50}, 10);
  learned.learn({1, 100}, first);
  learned.learn({1, 100}, second);
  EXPECT_EQ(learned.cut({1, 100}, 2), second.cut(2));
}

TEST(learned_costs, of_the_kind_that_was_learned_longest_ago_are_forgotten_first) {
  learned_costs learned;
  auto const learn = [&](std::size_t tasks) {
    batch_costs costs(tasks, 64);
    costs.add({0, 1}, 1);
    learned.learn({1, tasks}, costs);
  };
  auto const is_known = [&](std::size_t tasks) { return learned.cut({1, tasks}, 2)[1] != tasks / 2; };
  for (std::size_t tasks = 100; tasks < 116; ++tasks) learn(tasks);
  learn(100);
  EXPECT_TRUE(is_known(101));
  learn(200);
  EXPECT_FALSE(is_known(101));
  EXPECT_TRUE(is_known(100));
  EXPECT_TRUE(is_known(102));
  EXPECT_TRUE(is_known(200));
}

TEST(batch_costs, of_no_tasks_of_one_part_and_of_fewer_tasks_than_parts_are_cut_all_the_same) {
  EXPECT_EQ(batch_costs(0, 64).cut(2), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(batch_costs(7, 0).cut(1), (std::vector<std::size_t>{0, 7}));
  batch_costs few(2, 64);
  few.add({0, 1}, 1);
  few.add({1, 1}, 1);
  auto const borders = few.cut(5);
  ASSERT_EQ(borders.size(), 6u);
  EXPECT_EQ(borders.back(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(borders));
}

TEST(batch_costs, without_times_are_cut_into_equally_many_tasks) {
  batch_costs untimed(10, 64);
  untimed.add({0, 10}, 0);
  EXPECT_FALSE(untimed.are_known());
  EXPECT_EQ(untimed.cut(2), (std::vector<std::size_t>{0, 5, 10}));
}

TEST(batch_costs, of_a_run_are_spread_over_its_tasks_alone) {
  batch_costs costs(100, 10);
  costs.add({5, 10}, 100);  // half of two sections
  EXPECT_EQ(costs.cut(2)[1], 10u);
  costs.add({50, 50}, 100);
  EXPECT_EQ(costs.cut(2)[1], 20u);
}

class fewer_tasks_than_devices : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(tasks, fewer_tasks_than_devices, testing::Values(1, 2, 7, 8, 9));

TEST_P(fewer_tasks_than_devices, all_run_in_each_step) {
  invented_devices devices(equally_fast(8), costs_of(GetParam(), [](double at) { return 1 + at; }));
  for (int step = 0; step < 5; ++step) EXPECT_LE(devices.step().makespan, 2 * devices.bound());
}

std::shared_ptr<prepared_tasks const> marks_of(std::uint32_t count) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < count; ++i) tasks.emplace_back(add_one_plainly{{}}, block_range{i, 1});
  return std::make_shared<prepared_tasks const>(kernels(), tasks);
}

/// How many tasks the first of two devices has as its own. All run, those before `dear` in 100 ns each, the
/// others in one.
std::size_t first_part_of_a_step(backlog& tasks, std::uint32_t count, std::size_t dear) {
  tasks.add(marks_of(count));
  std::size_t first_part = count;
  for (std::size_t at = 0; tasks.waiting() > 0; ++at) {
    auto const piece = tasks.take(0, count);
    if (at == 0) first_part = piece->count;
    for (auto i = piece->first; i < piece->first + piece->count; ++i)
      tasks.finish({piece->batch, i, 1}, 0, {0, 1, i < dear ? 100 : 1});
  }
  return first_part;
}

TEST(backlog_of_two_devices, cuts_a_batch_by_what_the_last_of_its_kind_took) {
  backlog tasks(2, 2);
  EXPECT_EQ(first_part_of_a_step(tasks, 128, 64), 64u);
  EXPECT_NEAR(double(first_part_of_a_step(tasks, 128, 64)), 32, 1);
  EXPECT_EQ(first_part_of_a_step(tasks, 130, 64), 65u) << "another size";
  EXPECT_NEAR(double(first_part_of_a_step(tasks, 128, 0)), 32, 1) << "as it was when this was cut";
  EXPECT_EQ(first_part_of_a_step(tasks, 128, 0), 64u);
}

TEST(backlog_of_two_devices, still_knows_what_batches_took_when_it_is_opened_again) {
  backlog tasks(2, 2);
  first_part_of_a_step(tasks, 128, 64);
  tasks.close();
  tasks.open();
  EXPECT_NEAR(double(first_part_of_a_step(tasks, 128, 64)), 32, 1);
}

TEST(backlog_with_one_part, gives_the_front_whatever_batches_took) {
  backlog tasks(2);
  for (int step = 0; step < 3; ++step) EXPECT_EQ(first_part_of_a_step(tasks, 128, 64), 128u);
}

}  // namespace
}  // namespace ballast::test
