// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "invented_programs.hpp"
#include "split/split_learned.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Jobs of one kind, cut by the default policy.
class learned_split {
 public:
  learned_split(std::vector<invented_device> devices, invented_job job) : devices_(std::move(devices), job) {}

  double run(int times = 1) {
    double time = 0;
    for (int each = 0; each < times; ++each) time = devices_.run(*policy_);
    return time;
  }

  invented_devices& devices() { return devices_; }

  /// Of the last run.
  std::size_t tasks() const { return devices_.placed().size(); }
  std::vector<job_part> parts_of(std::uint32_t device) const {
    std::vector<job_part> parts;
    for (auto const& task : devices_.placed())
      if (task.device == device) parts.push_back(task.part);
    return parts;
  }
  std::uint32_t units_of(std::uint32_t device) const {
    std::uint32_t units = 0;
    for (auto const& part : parts_of(device)) units += part.count;
    return units;
  }

 private:
  invented_devices devices_;
  std::unique_ptr<split_policy> policy_ = make_split_policy();
};

invented_job resident_job(std::uint32_t units) { return {units, 0, 0, 0, 512e3, 32e3}; }

TEST(learned_split, gives_each_device_one_range_in_one_task_where_nothing_is_copied) {
  learned_split jobs({{100e3}, {163e3}}, {1024});
  jobs.run(5);
  EXPECT_EQ(jobs.tasks(), 2u);
  EXPECT_NEAR(jobs.units_of(0), 1024 * 1.63 / 2.63, 10);
}

TEST(learned_split, cuts_a_range_so_that_copies_hide_behind_kernels) {
  learned_split jobs({{100e3}}, {1024, 0, 500e3, 500e3});  // 20.5 ms of copies, at 8 us for each task
  jobs.run(3);
  EXPECT_NEAR(double(jobs.tasks()), 51, 2);
}

TEST(learned_split, cuts_into_whole_waves_of_blocks) {
  invented_device device;
  device.blocks_at_once = 264, device.wave_ns = 1e6;
  learned_split jobs({device}, {64, 64, 4e6, 4e6});
  jobs.run(3);
  for (auto const& task : jobs.devices().placed()) EXPECT_EQ(task.part.count % 4, 0u);
}

TEST(learned_split, keeps_to_tasks_of_few_blocks_where_those_are_faster) {
  invented_device device{250e3};
  device.blocks_at_once = 832, device.drift = 0.4;
  learned_split jobs({device}, {1024, 256});
  auto const large = jobs.run();
  EXPECT_EQ(jobs.tasks(), 1u);
  EXPECT_LE(jobs.run(2), large / 1.3);
  for (auto const& task : jobs.devices().placed()) EXPECT_EQ(task.part.count, 4u);
}

TEST(learned_split, returns_to_large_tasks_where_few_blocks_are_no_faster) {
  invented_device device{250e3};
  device.blocks_at_once = 832;
  learned_split jobs({device}, {1024, 256});
  jobs.run(2);
  EXPECT_EQ(jobs.tasks(), 1u + 4 + 8) << "the trial";
  jobs.run();
  EXPECT_EQ(jobs.tasks(), 1u);
}

TEST(learned_split, tries_no_tasks_that_cost_more_than_they_could_gain) {
  invented_device device{20e3};  // 40 us for half a wave
  device.blocks_at_once = 832, device.drift = 0.4;
  learned_split jobs({device}, {1024, 256});
  for (int run = 0; run < 5; ++run) {
    jobs.run();
    EXPECT_EQ(jobs.tasks(), 1u);
  }
}

TEST(learned_split, goes_to_and_fro_where_a_range_is_larger_than_memory) {
  invented_device small_memory{100e3};
  small_memory.max_units = 30;
  learned_split jobs({small_memory, {100e3}}, {200});
  jobs.run(8);
  for (int repetition = 0; repetition < 4; ++repetition) {
    auto const last = jobs.parts_of(0).back();
    jobs.run();
    EXPECT_EQ(jobs.parts_of(0).front(), last);
    EXPECT_EQ(jobs.parts_of(0).size(), 4u);
    EXPECT_EQ(jobs.parts_of(1).size(), 1u);
  }
}

TEST(learned_split, follows_a_device_that_becomes_slower) {
  for (double const factor : {1.3, 2.0, 5.0}) {
    learned_split jobs({{100e3}, {100e3}}, {1024});
    jobs.run(8);
    jobs.devices().slow_down(1, factor);
    EXPECT_LE(jobs.run(6), 1.05 * 1024 * 100e3 * factor / (1 + factor)) << "by " << factor;
  }
}

TEST(learned_split, follows_a_device_that_becomes_faster_again) {
  learned_split jobs({{100e3}, {100e3}}, {1024});
  jobs.run(8);
  jobs.devices().slow_down(1, 4);
  jobs.run(8);
  jobs.devices().slow_down(1, 0.25);
  EXPECT_LE(jobs.run(6), 1.05 * 1024 * 50e3);
}

TEST(learned_split, leaves_borders_where_they_are_while_times_only_spread) {
  invented_device device{258};
  device.spread = 0.04;
  learned_split jobs({device, device}, resident_job(1024));
  jobs.run(12);
  auto const units = jobs.units_of(0);
  for (int run = 0; run < 50; ++run) {
    jobs.run();
    EXPECT_EQ(jobs.units_of(0), units);
  }
}

TEST(learned_split, moves_data_only_when_about_as_much_was_lost_as_that_costs) {
  learned_split jobs({{2580}, {2580}}, resident_job(1024));
  jobs.run(8);
  auto const units = jobs.units_of(0);
  jobs.devices().slow_down(1, 1.5);
  std::vector<double> times;
  while (jobs.units_of(0) == units && times.size() < 100) times.push_back(jobs.run());
  times.pop_back();  // the run of the move
  ASSERT_GT(jobs.units_of(0), units);
  auto const move = (jobs.units_of(0) - units) * 512e3 / 50;
  auto const later = jobs.run(30);
  double lost = 0;
  for (auto const time : times) lost += time - later;
  EXPECT_GT(lost, 0.5 * move);
  EXPECT_LT(lost, 2 * move);
}

TEST(learned_split, learns_nothing_from_runs_that_shared_a_device) {
  auto const policy = make_split_policy();
  job_shape shape{100};
  shape.devices.resize(2);
  for (int run = 0; run < 5; ++run) {
    auto const split = policy->begin(shape);
    EXPECT_EQ(split->next(1, 0)->count, 3u) << "a probe of 1/16 of 50 units, again";
    while (auto const part = split->next(0, 0)) split->ended(0, {*part, 0, 1000, 0, 0, false});
    split->ended(1, {{0, 3}, 0, 100, 0, 0, false});
  }
}

TEST(learned_ranges, keep_what_they_know_of_a_device_that_had_no_unit_in_a_run) {
  job_shape shape{.units = 100};
  shape.devices.resize(2, {.bytes_per_ns = 50});
  learned_ranges ranges(shape);
  auto const did = [](std::uint32_t units) {
    std::int64_t const ns = units * 100'000;
    return device_run{.units = units,
                      .tasks = 1,
                      .end_ns = ns,
                      .kernels_ns = ns,
                      .bytes_in = units * std::uint64_t{500'000}};
  };
  ranges.learn({.devices = {did(50), did(50)}, .placed = {}});
  ranges.learn({.devices = {did(100), did(0)}, .placed = {}});
  EXPECT_EQ(ranges.parts(shape)[1].size(), 8u) << "copies of the one hide behind kernels of the other";
}

/// Five tasks tell how long units take only where somebody looked for that and cut ranges finer.
TEST(learned_ranges, follow_speeds_after_runs_of_few_tasks_of_which_one_took_longer) {
  job_shape shape{.units = 100};
  shape.devices.resize(2, {.bytes_per_ns = 50});
  learned_ranges ranges(shape);
  auto const did = [](std::uint32_t first, std::int64_t last_ns) {
    device_run run;
    for (std::uint32_t task = 0; task < 5; ++task) {
      auto const begin_ns = 10'000 * std::int64_t(task);
      run.add({.part = {first + 10 * task, 10},
               .begin_ns = begin_ns,
               .end_ns = begin_ns + (task == 4 ? last_ns : 10'000)});
    }
    return run;
  };
  for (int run = 0; run < 3; ++run) {
    ranges.parts(shape);
    ranges.learn({.devices = {did(0, 60'000), did(50, 10'000)}, .placed = {}});
  }
  auto const parts = ranges.parts(shape);
  ASSERT_EQ(parts[0].size(), 1u);
  EXPECT_EQ(parts[0][0].count, 33u) << "half as fast as the other";
}

TEST(paced_shares, take_as_long_as_the_least_run_or_as_its_mean_with_a_longer_one) {
  job_shape shape{.units = 100};
  shape.devices.resize(1);
  paced_shares shares(shape, {1});
  shares.move_borders(shape);
  auto const learned = [&](double ns) {
    shares.learn({.devices = {{.units = 100, .tasks = 1}}, .placed = {}}, {ns});
    return shares.run_ns();
  };
  EXPECT_EQ(learned(1000), 1000);
  EXPECT_EQ(learned(800), 800);
  EXPECT_EQ(learned(1000), 900);
}

TEST(learned_split, tries_a_device_that_got_nothing_at_first) {
  learned_split jobs({{100e3}, {10e3}}, {1});
  EXPECT_EQ(jobs.run(6), 13e3);
}

}  // namespace
}  // namespace ballast::test
