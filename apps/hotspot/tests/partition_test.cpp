// SPDX-License-Identifier: Apache-2.0
// A step must move exactly the rows that its tasks read and their devices lack, counted from the reports of
// its tasks alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "ballast/job_scheduler.hpp"
#include "captured_log.hpp"
#include "hotspot/command.hpp"
#include "hotspot/heat_step.cuh"
#include "hotspot/kernels.hpp"
#include "hotspot/plate.hpp"
#include "hotspot/reference.hpp"
#include "hotspot/shared_plate.hpp"
#include "job_run/tests/device_sets.hpp"
#include "sanitized.hpp"
#include "started_plate.hpp"

namespace ballast::hotspot {
namespace {

/// Compares the temperatures after this many steps, twice.
template <class Real>
bool is_right_twice(device_list const& devices, job_options const& how, plate const& of,
                    std::uint32_t steps) {
  started_plate<Real> const start(of);
  job_scheduler jobs(devices, heat_kernels(), how);
  shared_plate<Real> shared(jobs, of, factors_of(of));
  for (int repetition = 0; repetition < 2; ++repetition) {
    shared.fill(start.temperature, start.power);
    shared.run(steps);
    if (!is_heated(start.view(), steps, shared.temperature())) return false;
  }
  return true;
}

TEST(hotspot, has_the_references_bits_however_it_is_split) {
  for (auto const& devices : job_run::device_sets())
    for (auto const& how : job_run::split_options()) {
      SCOPED_TRACE(job_run::text_of(devices, how));
      EXPECT_TRUE(is_right_twice<float>(devices, how, {77, 261}, 12));
      EXPECT_TRUE(is_right_twice<double>(devices, how, {61, 5}, 5));
    }
}

TEST(hotspot, keeps_to_its_access_maps) {
  for (auto how : job_run::split_options()) {
    how.check_maps = true;
    SCOPED_TRACE(how.policy);
    EXPECT_TRUE(is_right_twice<float>(open_devices("host:1,host:1"), how, {77, 261}, 4));
    EXPECT_TRUE(is_right_twice<double>(open_devices("host:1,host:1"), how, {61, 5}, 4));
  }
}

TEST(hotspot, has_the_references_bits_in_a_quarter_of_the_memory_of_its_arrays) {
  plate const of{400, 256};
  for (auto const& devices : job_run::device_sets())
    for (auto const& policy : split_policies()) {
      job_options how;
      how.policy = policy.name;
      how.device_bytes = 3 * of.cells() * sizeof(float) / 4;
      EXPECT_TRUE(is_right_twice<float>(devices, how, of, test::sanitized ? 2 : 6))
          << job_run::text_of(devices, how);
    }
}

TEST(hotspot, heats_plates_of_one_row_one_column_and_one_cell) {
  for (plate const& of : {plate{1, 1}, {1, 600}, {600, 1}, {8, 8}, {9, 257}})
    EXPECT_TRUE(is_right_twice<float>(test::test_devices(), job_run::options_of_little_memory(), of, 7))
        << of.rows << " x " << of.columns;
}

finished_run after(std::uint32_t size, precision in) {
  plan asked;
  asked.of = {size, size};
  asked.in = in;
  asked.options = job_run::options_of_little_memory();
  return run(test::test_devices(), asked, [] { return false; });
}

TEST(hotspot, finds_what_is_known_of_64_cells_squared_after_1000_steps) {
  auto const exact = after(64, precision::float64), found = after(64, precision::float32);
  EXPECT_NEAR(exact.end.sum, 1270191.578521, 1e-6);
  EXPECT_NEAR(exact.end.first, 309.2607911757, 1e-10);
  EXPECT_NEAR(found.end.sum / exact.end.sum, 1, 1e-4);
  EXPECT_NEAR(found.end.first / exact.end.first, 1, 1e-4);
  EXPECT_TRUE(exact.how.found.is_right);
  EXPECT_TRUE(found.how.found.is_right);
}

TEST(hotspot, finds_what_is_known_of_512_cells_squared_after_1000_steps) {
  if (test::sanitized) GTEST_SKIP() << "262 million cells take too long with a sanitizer";
  auto const found = after(512, precision::float32);
  EXPECT_NEAR(found.end.sum / 81298762.18625, 1, 1e-4);
  EXPECT_NEAR(found.end.first / 310.1530889196, 1, 1e-4);
  EXPECT_NEAR(found.end.middle / 310.0954874215, 1, 1e-4);
  EXPECT_NEAR(found.end.last / 310.1306583827, 1, 1e-4);
  EXPECT_TRUE(found.how.found.is_right);
}

TEST(hotspot, checks_the_last_step_of_a_run_that_is_too_long_to_check) {
  if (test::sanitized) GTEST_SKIP() << "540 million cells take too long with a sanitizer";
  plan asked;
  asked.of = {1024, 1024};
  asked.steps = static_cast<std::uint32_t>(1 + max_checked_cells / asked.of.cells());
  auto const found = run(test::test_devices(), asked, [] { return false; }).how.found;
  EXPECT_TRUE(found.is_right);
  EXPECT_EQ(found.checked, "every cell of the last step against the sequential program, bit by bit");
}

TEST(hotspot, stops_between_two_steps_when_asked_and_has_the_temperatures_of_those_made) {
  started_plate<float> const start({9, 11});
  job_scheduler jobs(open_devices("host:1"), heat_kernels(), {});
  shared_plate<float> shared(jobs, start.of, factors_of(start.of));
  shared.fill(start.temperature, start.power);
  int asked = 0;
  EXPECT_EQ(shared.run(1000, [&] { return ++asked > 5; }), 5u);
  EXPECT_TRUE(is_heated(start.view(), 5, shared.temperature()));
}

TEST(hotspot, tells_how_many_steps_it_made_when_it_is_stopped) {
  try {
    run(open_devices("host:1"), {}, [] { return true; });
    FAIL() << "it was stopped";
  } catch (error const& problem) { EXPECT_STREQ(problem.what(), "stopped after 0 of 1000 steps"); }
}

TEST(hotspot, tells_of_the_whole_repetitions_when_it_is_stopped_in_a_later_one) {
  plan asked;
  asked.of = {9, 11};
  asked.steps = 10;
  asked.repeat = 3;
  auto const whole = run(open_devices("host:1"), asked, [] { return false; });
  int polled = 0;
  test::captured_log const log;
  auto const stopped = run(open_devices("host:1"), asked, [&] { return ++polled > 15; });
  EXPECT_EQ(stopped.how.runs.size(), 1u);
  EXPECT_TRUE(stopped.how.found.is_right);
  EXPECT_EQ(stopped.end.sum, whole.end.sum);
  EXPECT_THAT(
      log.lines(),
      testing::HasSubstr("stopped after 4 of 10 steps of repetition 2; what is told is of those before"));
}

TEST(hotspot, finds_one_wrong_cell) {
  plate const of{9, 11};
  std::vector<float> temperature(of.cells(), 90), power(of.cells(), 0);
  heated_plate<float> const start{of, factors_of(of), temperature, power};
  auto end = heated(start, 3);
  EXPECT_TRUE(is_heated<float>(start, 3, end));
  end[50] = std::nextafter(end[50], 0.0f);
  EXPECT_FALSE(is_heated<float>(start, 3, end));
}

TEST(hotspot, finds_no_result_right_that_is_no_finite_number) {
  plate const of{9, 11};
  for (float const power_of_all : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    std::vector<float> temperature(of.cells(), 90), power(of.cells(), power_of_all);
    heated_plate<float> const start{of, factors_of(of), temperature, power};
    EXPECT_FALSE(is_heated<float>(start, 3, heated(start, 3)));
  }
}

constexpr plate cells{512, 40};
constexpr std::uint64_t bytes_of_row = cells.columns * sizeof(float);

using row_set = std::set<std::uint32_t>;

/// The rows of a part, and `halo` more on either side.
row_set rows_of(job_part part, std::uint32_t halo) {
  constexpr auto each = heat_step<float>::rows_of_unit;
  std::uint32_t const begin = part.first * each, end = std::min((part.first + part.count) * each, cells.rows);
  row_set rows;
  for (auto row = begin - std::min(begin, halo); row < std::min(end + halo, cells.rows); ++row)
    rows.insert(row);
  return rows;
}

/// The rows that each device holds.
class rows_at_devices {
 public:
  explicit rows_at_devices(std::size_t devices) : temperature_(devices), power_(devices) {}

  /// Advances by a step and returns the bytes that it must move.
  std::uint64_t step(job_report const& done) {
    std::uint64_t missing = 0;
    std::vector<row_set> written(temperature_.size());
    for (auto const& task : done.tasks) {
      missing += added(temperature_[task.device], rows_of(task.part, 1));
      missing += added(power_[task.device], rows_of(task.part, 0));
      written[task.device].merge(rows_of(task.part, 0));
    }
    temperature_ = std::move(written);
    return missing * bytes_of_row;
  }

 private:
  static std::uint64_t added(row_set& to, row_set rows) {
    auto const before = to.size();
    to.merge(rows);
    return to.size() - before;
  }

  std::vector<row_set> temperature_, power_;
};

/// The device of each unit.
std::vector<std::uint32_t> devices_of_units(job_report const& done) {
  std::vector<std::uint32_t> devices(heat_step<float>::units(cells));
  for (auto const& task : done.tasks)
    std::fill_n(devices.begin() + task.part.first, task.part.count, task.device);
  return devices;
}

std::uint64_t borders(std::vector<std::uint32_t> const& devices) {
  std::uint64_t count = 0;
  for (std::size_t i = 1; i < devices.size(); ++i) count += devices[i] != devices[i - 1];
  return count;
}

std::vector<job_report> reports_of(device_list const& devices, job_options const& how, std::uint32_t steps) {
  started_plate<float> const start(cells);
  job_scheduler jobs(devices, heat_kernels(), how);
  shared_plate<float> plate(jobs, cells, factors_of(cells));
  plate.fill(start.temperature, start.power);
  std::vector<completion> completions;
  for (std::uint32_t i = 0; i < steps; ++i) completions.push_back(plate.step());
  std::vector<job_report> reports;
  for (auto const& done : completions) reports.push_back(report_of(done));
  return reports;
}

TEST(hotspot_halo, is_all_that_a_step_moves_under_every_policy) {
  for (auto const& devices : job_run::device_sets())
    for (auto const& how : job_run::split_options()) {
      SCOPED_TRACE(job_run::text_of(devices, how));
      rows_at_devices rows(devices.size());
      for (auto const& report : reports_of(devices, how, 8)) EXPECT_EQ(report.moved.all(), rows.step(report));
    }
}

/// Checks each step whose tasks stayed where the step before had them. Returns how many there were.
int steps_that_move_two_rows_per_border(std::string const& policy) {
  auto how = job_run::options_of_little_memory();
  how.policy = policy;
  auto const reports = reports_of(test::test_devices(), how, 20);
  int unmoved = 0;
  for (std::size_t i = 1; i < reports.size(); ++i) {
    auto const devices = devices_of_units(reports[i]);
    if (devices != devices_of_units(reports[i - 1])) continue;
    ++unmoved;
    EXPECT_EQ(reports[i].moved.all(), borders(devices) * 2 * bytes_of_row) << "step " << i + 1;
    EXPECT_EQ(reports[i].moved.from_host + reports[i].moved.to_host, 0u) << "step " << i + 1;
  }
  return unmoved;
}

TEST(hotspot_halo, is_two_rows_per_border_and_step_where_tasks_stay_on_their_devices) {
  EXPECT_GT(steps_that_move_two_rows_per_border("static"), 0);
  (void)steps_that_move_two_rows_per_border("fixed");  // where a task goes depends on who is ready first
}

TEST(hotspot_halo, brings_everything_to_the_devices_in_the_first_step_and_nothing_back) {
  auto const first =
      reports_of({test::test_devices().front()}, job_run::options_of_little_memory(), 1).front();
  EXPECT_EQ(first.moved, (moved_bytes{2 * cells.rows * bytes_of_row, 0, 0}));
}

}  // namespace
}  // namespace ballast::hotspot
