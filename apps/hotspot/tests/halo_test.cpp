// SPDX-License-Identifier: Apache-2.0
// What a step moves is what its tasks read beyond what their devices have: counted from the reports of its
// tasks alone, whoever got them.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hotspot/heat_step.cuh"
#include "hotspot/inputs.hpp"
#include "hotspot/kernels.hpp"
#include "hotspot/shared_plate.hpp"
#include "job_run/tests/device_sets.hpp"

namespace ballast::hotspot {
namespace {

constexpr plate cells{512, 40};
constexpr std::uint64_t bytes_of_row = cells.columns * sizeof(float);

using row_set = std::set<std::uint32_t>;

/// Rows of a part, and so many more on either side.
row_set rows_of(job_part part, std::uint32_t halo) {
  constexpr auto each = heat_step<float>::rows_of_unit;
  std::uint32_t const begin = part.first * each, end = std::min((part.first + part.count) * each, cells.rows);
  row_set rows;
  for (auto row = begin - std::min(begin, halo); row < std::min(end + halo, cells.rows); ++row)
    rows.insert(row);
  return rows;
}

/// Which rows each device has.
class rows_at_devices {
 public:
  explicit rows_at_devices(std::size_t devices) : temperature_(devices), power_(devices) {}

  /// Goes on by a step and returns the bytes that it has to move.
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

/// By unit.
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
  std::vector<float> temperature(cells.cells()), power(cells.cells());
  fill_temperature<float>(cells, temperature);
  fill_power<float>(cells, power);
  job_scheduler jobs(devices, heat_kernels(), how);
  shared_plate<float> plate(jobs, cells, factors_of(cells));
  plate.fill(temperature, power);
  std::vector<job_ticket> tickets;
  for (std::uint32_t i = 0; i < steps; ++i) tickets.push_back(plate.step());
  std::vector<job_report> reports;
  for (auto const& ticket : tickets) reports.push_back(ticket.report());
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

TEST(hotspot_halo, is_two_rows_per_border_and_step_where_tasks_stay_on_their_devices) {
  auto how = job_run::options_of_little_memory();
  how.policy = "fixed";
  auto const reports = reports_of(job_run::test_devices(), how, 20);
  int unmoved = 0;
  for (std::size_t i = 1; i < reports.size(); ++i) {
    auto const devices = devices_of_units(reports[i]);
    if (devices != devices_of_units(reports[i - 1])) continue;
    ++unmoved;
    EXPECT_EQ(reports[i].moved.all(), borders(devices) * 2 * bytes_of_row) << "step " << i + 1;
    EXPECT_EQ(reports[i].moved.from_host + reports[i].moved.to_host, 0u) << "step " << i + 1;
  }
  EXPECT_GT(unmoved, 0);
}

TEST(hotspot_halo, brings_everything_to_the_devices_in_the_first_step_and_nothing_back) {
  auto const first =
      reports_of({job_run::test_devices().front()}, job_run::options_of_little_memory(), 1).front();
  EXPECT_EQ(first.moved, (moved_bytes{2 * cells.rows * bytes_of_row, 0, 0}));
}

}  // namespace
}  // namespace ballast::hotspot
