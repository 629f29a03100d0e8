// SPDX-License-Identifier: Apache-2.0
#include "split/split_learned.hpp"

#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

constexpr double unit_ns = 1e6;

split_device device_of(std::uint64_t blocks_at_once) {
  split_device device;
  device.blocks_at_once = blocks_at_once;
  return device;
}

/// A run of 100 units at the front in one task and of these, one after another, `small` ns for each of their
/// units.
device_run run_of(std::vector<job_part> const& trial, std::vector<double> const& small) {
  device_run run;
  auto const large = trial.front().first;
  run.add({{0, large}, 0, std::int64_t(large * unit_ns)});
  for (std::size_t task = 0; task < trial.size(); ++task) {
    auto const end = run.end_ns + std::int64_t(trial[task].count * small[task]);
    run.add({trial[task], run.end_ns, end});
  }
  return run;
}

double units_of(job_part part) { return part.count; }

/// Tasks of a wave of 4 units, and of half of one.
struct tried_on_100_units {
  task_grain grain{2, device_of(8)};
  std::vector<job_part> trial = grain.trial({0, 100}, unit_ns);
  double learn(double in_waves, double in_halves) {
    std::vector<double> times(4, in_waves);
    times.insert(times.end(), 8, in_halves);
    return grain.learn(run_of(trial, times), 77, units_of);
  }
};

TEST(task_grain, tries_tasks_of_a_wave_and_of_half_a_wave_at_the_end_of_the_range) {
  tried_on_100_units of;
  ASSERT_EQ(of.trial.size(), 12u);
  EXPECT_EQ(of.trial.front(), (job_part{68, 4}));
  EXPECT_EQ(of.trial[4], (job_part{84, 2}));
  EXPECT_EQ(of.trial.back(), (job_part{98, 2}));
}

TEST(task_grain, keeps_the_one_in_which_a_unit_takes_least) {
  tried_on_100_units waves, halves, large, hardly;
  waves.learn(0.7 * unit_ns, 0.8 * unit_ns);
  EXPECT_EQ(waves.grain.units(), 4u);
  halves.learn(0.8 * unit_ns, 0.7 * unit_ns);
  EXPECT_EQ(halves.grain.units(), 2u);
  large.learn(1.2 * unit_ns, 1.1 * unit_ns);
  EXPECT_EQ(large.grain.units(), std::nullopt);
  hardly.learn(0.98 * unit_ns, 0.99 * unit_ns);
  EXPECT_EQ(hardly.grain.units(), std::nullopt);
}

TEST(task_grain, tells_what_all_units_would_have_taken_in_the_tasks_that_are_to_be) {
  tried_on_100_units faster, slower;
  EXPECT_NEAR(faster.learn(0.7 * unit_ns, 0.8 * unit_ns), 70 * unit_ns, 1);
  EXPECT_NEAR(slower.learn(1.2 * unit_ns, 1.1 * unit_ns), 100 * unit_ns, 1);
}

TEST(task_grain, compares_by_the_work_of_units_that_differ) {
  tried_on_100_units of;
  auto const twice_at_the_end = [](job_part part) {  // the large task has 68 units
    return part.count * (part.count == 100 ? 1.32 : part.first < 68 ? 1.0 : 2.0);
  };
  std::vector<double> times(4, 1.9 * unit_ns);
  times.insert(times.end(), 8, 2 * unit_ns);
  EXPECT_NEAR(of.grain.learn(run_of(of.trial, times), 77, twice_at_the_end), 0.95 * 132 * unit_ns, 1);
  EXPECT_EQ(of.grain.units(), 4u);
}

TEST(task_grain, learns_nothing_from_a_run_in_other_tasks) {
  tried_on_100_units of;
  device_run large;
  large.add({{0, 100}, 0, 500});
  EXPECT_EQ(of.grain.learn(large, 77, units_of), 77);
  EXPECT_EQ(of.grain.units(), std::nullopt);
  EXPECT_FALSE(of.grain.trial({0, 100}, unit_ns).empty()) << "the trial is still to come";
}

TEST(task_grain, tries_once) {
  tried_on_100_units of;
  of.learn(1.2 * unit_ns, 1.1 * unit_ns);
  EXPECT_TRUE(of.grain.trial({0, 100}, unit_ns).empty());
}

TEST(task_grain, does_not_try_where_blocks_are_unknown_or_waves_few_or_tasks_too_short) {
  EXPECT_TRUE(task_grain(0, device_of(8)).trial({0, 100}, unit_ns).empty());
  EXPECT_TRUE(task_grain(2, device_of(0)).trial({0, 100}, unit_ns).empty());
  EXPECT_TRUE(task_grain(2, device_of(8)).trial({0, 63}, unit_ns).empty());
  EXPECT_TRUE(task_grain(2, device_of(8)).trial({0, 100}, 49e3).empty());
  EXPECT_TRUE(task_grain(2, device_of(8)).trial({0, 100}, 0).empty());
  EXPECT_FALSE(task_grain(2, device_of(8)).trial({0, 100}, 50e3).empty());
}

TEST(task_grain, does_not_try_on_a_range_larger_than_memory) {
  auto device = device_of(8);
  device.max_units = 99;
  EXPECT_TRUE(task_grain(2, device).trial({0, 100}, unit_ns).empty());
  EXPECT_FALSE(task_grain(2, device).trial({0, 99}, unit_ns).empty());
}

}  // namespace
}  // namespace ballast::test
