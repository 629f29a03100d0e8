// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test::partition_test {
using namespace detail;
namespace {

constexpr std::uint32_t task_counts[] = {1, 2, 5, 8, 61};

class partition : public testing::TestWithParam<std::string> {
 protected:
  device_list devices_ = open_devices(GetParam());
  job_scheduler jobs_{devices_, kernels(), {.device_bytes = enough_device_bytes}};

  template <class F>
  void for_each_policy_and_task_count(F visit) {
    for (auto const& policy : policy_names())
      for (auto const tasks : task_counts) {
        SCOPED_TRACE(policy + ", " + std::to_string(tasks) + " tasks");
        visit(policy, tasks);
      }
  }
};

TEST_P(partition, runs_each_block_once) {
  words visits(jobs_, {143});
  for_each_policy_and_task_count([&](std::string const& policy, std::uint32_t tasks) {
    fill_with(visits, 5);
    auto const done =
        jobs_.submit({.grid = {13, 11}, .policy = policy, .tasks = tasks}, updates(visits, one_to_one(13)),
                     [](auto all) { return count_visits{all}; });
    EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(143, 6));
    done.wait();
    EXPECT_TRUE(done.ready());
  });
}

TEST_P(partition, gives_what_one_thread_gives) {
  constexpr std::uint32_t rows_of = 13, columns_of = 11, steps = 4;
  word_rows now(jobs_, {rows_of, columns_of}), next(jobs_, {rows_of, columns_of});
  for_each_policy_and_task_count([&](std::string const& policy, std::uint32_t tasks) {
    number(now);
    auto expected = values_of(now);
    for (std::uint32_t step = 0; step < steps; ++step) {
      submit_mix(jobs_, now, next, {.grid = rows_of, .policy = policy, .tasks = tasks});
      expected = mixed(expected, rows_of, columns_of);
    }
    EXPECT_EQ(values_of(now), expected);
  });
}

TEST_P(partition, gives_all_units_to_the_device_that_a_job_names_and_learns_apart_from_other_jobs) {
  words visits(jobs_, {64});
  fill_with(visits, 0);
  std::uint32_t times = 0;
  for_each_policy_and_task_count([&](std::string const& policy, std::uint32_t tasks) {
    for (std::uint32_t device = 0; device <= devices_.size(); ++device) {  // the last names none
      job_setup setup{.grid = 64, .policy = policy, .tasks = tasks, .learning_key = 7};
      if (device < devices_.size()) setup.device = device;
      auto const done =
          report_of(jobs_.submit(setup, updates(visits), [](auto all) { return count_visits{all}; }));
      for (auto const& task : done.tasks) EXPECT_EQ(task.device, setup.device.value_or(task.device));
      ++times;
    }
  });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(64, times));
}

TEST_P(partition, tells_each_unit_once_in_the_report) {
  words visits(jobs_, {61});
  for_each_policy_and_task_count([&](std::string const& policy, std::uint32_t tasks) {
    auto const report = report_of(jobs_.submit({.grid = 61, .policy = policy, .tasks = tasks},
                                               updates(visits), [](auto all) { return count_visits{all}; }));
    std::vector<int> times(61);
    for (auto const& task : report.tasks)
      for (std::uint32_t i = 0; i < task.part.count; ++i) ++times[task.part.first + i];
    EXPECT_EQ(times, std::vector<int>(61, 1));
    EXPECT_EQ(report.policy, policy);
  });
}

INSTANTIATE_TEST_SUITE_P(devices, partition, testing::ValuesIn(device_sets()));

}  // namespace
}  // namespace ballast::test::partition_test
