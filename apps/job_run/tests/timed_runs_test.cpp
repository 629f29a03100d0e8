// SPDX-License-Identifier: Apache-2.0
#include "job_run/timed_runs.hpp"

#include <gtest/gtest.h>

#include "device_sets.hpp"

namespace ballast::job_run {
namespace {

/// How often a program was prepared and run.
struct counted_program {
  timed_program program() {
    return {[this] { ++prepared; }, [this] { return ++run != stopped_at; }};
  }
  int prepared = 0, run = 0, stopped_at = 0;
};

TEST(job_run_repetitions, prepare_before_each_run) {
  job_scheduler jobs(test_devices(), options_of_little_memory());
  counted_program counts;
  auto const runs = repeated(jobs, 3, counts.program(), [] { return false; });
  EXPECT_EQ(runs.size(), 3u);
  EXPECT_EQ(counts.prepared, 3);
  EXPECT_EQ(counts.run, 3);
  for (auto const& run : runs) {
    EXPECT_GE(run.seconds, 0);
    EXPECT_EQ(run.tasks, 0u);
    EXPECT_EQ(run.moved.all(), 0u);
  }
}

TEST(job_run_repetitions, end_after_the_present_one_when_stopped) {
  job_scheduler jobs(test_devices(), options_of_little_memory());
  counted_program counts;
  EXPECT_EQ(repeated(jobs, 10, counts.program(), [&] { return counts.run == 2; }).size(), 2u);
  EXPECT_EQ(repeated(jobs, 10, counts.program(), [] { return true; }).size(), 1u);
}

TEST(job_run_repetitions, end_with_those_before_one_that_was_stopped) {
  job_scheduler jobs(test_devices(), options_of_little_memory());
  counted_program third{.stopped_at = 3}, first{.stopped_at = 1};
  EXPECT_EQ(repeated(jobs, 10, third.program(), [] { return false; }).size(), 2u);
  EXPECT_EQ(third.prepared, 3);
  EXPECT_TRUE(repeated(jobs, 10, first.program(), [] { return false; }).empty());
}

}  // namespace
}  // namespace ballast::job_run
