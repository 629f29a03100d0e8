// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test::out_of_core_test {
using namespace detail;
namespace {

/// Two arrays of 64 rows of 256 bytes each, on devices that have memory for an eighth of that.
constexpr std::uint32_t rows_of = 64, columns_of = 64, steps = 2;
constexpr std::uint64_t little = 4096;

class out_of_core : public testing::TestWithParam<std::string> {
 protected:
  job_scheduler jobs_{open_devices(GetParam()), kernels(), {.device_bytes = little}};
};

TEST_P(out_of_core, gives_what_one_thread_gives) {
  word_rows now(jobs_, {rows_of, columns_of}), next(jobs_, {rows_of, columns_of});
  for (auto const& policy : policy_names()) {
    SCOPED_TRACE(policy);
    number(now);
    auto expected = values_of(now);
    for (std::uint32_t step = 0; step < steps; ++step) {
      submit_mix(jobs_, now, next, {.grid = rows_of, .policy = policy});
      expected = mixed(expected, rows_of, columns_of);
    }
    EXPECT_EQ(values_of(now), expected);
  }
}

TEST_P(out_of_core, brings_back_what_was_driven_out) {
  words visits(jobs_, {4096});
  fill_with(visits, 1);
  for (int round = 0; round < 3; ++round)
    jobs_.submit({4096}, updates(visits), [](auto all) { return count_visits{all}; });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(4096, 4));
  EXPECT_GT(jobs_.statistics().moved.to_host, 4096 * sizeof(std::uint32_t));
}

TEST_P(out_of_core, runs_arrays_that_come_and_go) {
  for (int round = 0; round < 5; ++round) {
    words visits(jobs_, {512});
    fill_with(visits, 1);
    jobs_.submit({512}, updates(visits), [](auto all) { return count_visits{all}; });
    EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(512, 2));
  }
}

TEST(memory_for_all_arrays, lets_a_task_have_the_whole_job) {
  constexpr std::uint64_t both = 2 * rows_of * columns_of * sizeof(std::uint32_t);
  for (auto const& [bytes, tasks] : {std::pair(both, 1u), {both - 256, 4u}}) {
    job_scheduler jobs(open_devices("host:1"), kernels(), {.policy = "static", .device_bytes = bytes});
    word_rows now(jobs, {rows_of, columns_of}), next(jobs, {rows_of, columns_of});
    number(now);
    auto const job = submit_mix(jobs, now, next, {rows_of});
    jobs.wait_all();
    EXPECT_EQ(report_of(job).tasks.size(), tasks);
  }
}

TEST(memory_for_all_arrays, is_not_that_of_arrays_that_are_gone) {
  constexpr std::uint64_t both = 2 * rows_of * columns_of * sizeof(std::uint32_t);
  job_scheduler jobs(open_devices("host:1"), kernels(), {.policy = "static", .device_bytes = both});
  { word_rows const gone(jobs, {rows_of, columns_of}); }
  word_rows now(jobs, {rows_of, columns_of}), next(jobs, {rows_of, columns_of});
  number(now);
  EXPECT_EQ(report_of(submit_mix(jobs, now, next, {rows_of})).tasks.size(), 1u);
}

TEST(forgetting_after_each_task, moves_all_again_and_gives_the_same) {
  job_scheduler jobs(two_devices(), kernels(),
                     {.policy = "static", .device_bytes = enough_device_bytes, .reuse = false});
  word_rows now(jobs, {16, 4}), next(jobs, {16, 4});
  number(now);
  auto expected = values_of(now);
  for (int step = 0; step < 4; ++step) {
    auto const moved = report_of(submit_mix(jobs, now, next, {16})).moved;
    EXPECT_EQ(moved.from_host + moved.between_devices, (16 + 2) * 4 * sizeof(std::uint32_t));
    expected = mixed(expected, 16, 4);
    jobs.wait_all();
  }
  EXPECT_EQ(values_of(now), expected);
}

INSTANTIATE_TEST_SUITE_P(devices, out_of_core, testing::ValuesIn(device_sets()));

}  // namespace
}  // namespace ballast::test::out_of_core_test
