// SPDX-License-Identifier: Apache-2.0
#include "job_run/timed_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ballast/error.hpp"
#include "captured_log.hpp"
#include "device_sets.hpp"

namespace ballast::job_run {
namespace {

/// Counts how often a program was prepared and run.
struct counted_program {
  timed_program program() {
    return {[this] { ++prepared; },
            [this] { return ++run == stopped_at ? std::nullopt : std::optional(completion()); },
            [this] { ++brought_home; }};
  }
  int prepared = 0, run = 0, brought_home = 0, stopped_at = 0;
};

TEST(job_run_repetitions, prepare_before_each_run) {
  job_scheduler jobs(test::test_devices(), options_of_little_memory());
  counted_program counts;
  auto const runs = repeated(jobs, 3, counts.program(), [] { return false; });
  EXPECT_EQ(runs.size(), 3u);
  EXPECT_EQ(counts.prepared, 3);
  EXPECT_EQ(counts.run, 3);
  EXPECT_EQ(counts.brought_home, 3);
  for (auto const& run : runs) {
    EXPECT_GE(run.seconds, run.home_seconds);
    EXPECT_GE(run.home_seconds, 0);
    EXPECT_EQ(run.tasks, 0u);
    EXPECT_EQ(run.moved.all(), 0u);
  }
}

TEST(job_run_repetitions, end_after_the_present_one_when_stopped) {
  job_scheduler jobs(test::test_devices(), options_of_little_memory());
  counted_program counts;
  EXPECT_EQ(repeated(jobs, 10, counts.program(), [&] { return counts.run == 2; }).size(), 2u);
  EXPECT_EQ(repeated(jobs, 10, counts.program(), [] { return true; }).size(), 1u);
}

TEST(job_run_repetitions, end_with_those_before_one_that_was_stopped) {
  job_scheduler jobs(test::test_devices(), options_of_little_memory());
  counted_program third{.stopped_at = 3}, first{.stopped_at = 1};
  EXPECT_EQ(repeated(jobs, 10, third.program(), [] { return false; }).size(), 2u);
  EXPECT_EQ(third.prepared, 3);
  EXPECT_EQ(third.brought_home, 2);
  EXPECT_TRUE(repeated(jobs, 10, first.program(), [] { return false; }).empty());
}

using testing::HasSubstr;

TEST(job_run_repetitions, tell_of_one_that_its_scheduler_stopped) {
  for (std::uint32_t const stopped_in : {1, 3}) {
    job_scheduler jobs(test::test_devices(), options_of_little_memory());
    job_sequence const nothing(jobs);
    counted_program counts;
    auto program = counts.program();
    program.submit = [&] {
      if (counts.prepared == int(stopped_in)) jobs.request_stop();
      return std::optional(jobs.submit(nothing));
    };
    test::captured_log const log;
    auto const stop = [] { return false; };
    if (stopped_in == 1) {
      EXPECT_THAT([&] { repeated(jobs, 10, program, stop); },
                  testing::ThrowsMessage<error>("stopped after 0 tasks"));
      continue;
    }
    EXPECT_EQ(repeated(jobs, 10, program, stop).size(), 2u);
    EXPECT_EQ(log.lines(), "stopped after 0 tasks of repetition 3; what is told is of those before");
  }
}

run_summary three_runs(bool is_right = true) {
  return {{"first", "second"},
          "fixed",
          true,
          {{0.5, 0.125, 3, {1, 2, 3}}, {0.25, 0, 4, {10, 20, 30}}, {2.0, 1.0, 5, {100, 200, 300}}},
          {is_right, "every cell"},
          0,
          1,
          {"defaults", "2026-11-26"}};
}

TEST(job_run_report, tells_the_median_of_the_times_and_the_rest_of_the_last_run) {
  auto const found = nlohmann::json::parse(json_value(members_of(three_runs())).text());
  EXPECT_EQ(found["seconds"], 0.5);
  EXPECT_EQ(found["job_seconds"], 0.375);
  EXPECT_EQ(found["home_seconds"], 0.125);
  EXPECT_EQ(found["repetitions"], 3);
  EXPECT_EQ(found["devices"], nlohmann::json({"first", "second"}));
  EXPECT_EQ(found["costs"], nlohmann::json({"defaults", "2026-11-26"}));
  EXPECT_EQ(found["policy"], "fixed");
  EXPECT_EQ(found["reuse"], true);
  EXPECT_EQ(found["tasks"], 5);
  EXPECT_EQ(found["bytes_moved"], 600);
  EXPECT_EQ(found["bytes_moved_by_direction"]["between_devices"], 300);
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["checked"], "every cell");
}

TEST(job_run_report, lists_every_run) {
  auto const runs = nlohmann::json::parse(json_value(members_of(three_runs())).text())["runs"];
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1]["seconds"], 0.25);
  EXPECT_EQ(runs[2]["job_seconds"], 1.0);
  EXPECT_EQ(runs[2]["home_seconds"], 1.0);
  EXPECT_EQ(runs[1]["tasks"], 4);
  EXPECT_EQ(runs[1]["bytes_moved"], 60);
}

TEST(job_run_report, says_the_same_to_people) {
  EXPECT_EQ(text_of(three_runs()),
            "on first, second, policy fixed\n"
            "500.0 ms (median of 3), 125.0 ms of it to bring the results home after the last job\n"
            "the last run: 5 tasks, 100 B from the host, 200 B to it, 300 B between devices\n"
            "right: every cell\n");
  EXPECT_THAT(text_of(three_runs(false)), HasSubstr("\nWRONG: every cell\n"));
}

TEST(job_run_report, says_that_nothing_was_kept_on_devices) {
  auto forgetful = three_runs();
  forgetful.reuse = false;
  EXPECT_THAT(text_of(forgetful), HasSubstr("policy fixed, no reuse\n"));
  EXPECT_THAT(json_value(members_of(forgetful)).text(), HasSubstr("\"reuse\":false"));
}

TEST(job_run_report, fails_a_wrong_result_with_what_was_checked) {
  EXPECT_NO_THROW(expect_right(three_runs()));
  try {
    expect_right(three_runs(false));
    FAIL();
  } catch (error const& problem) { EXPECT_STREQ(problem.what(), "the result is wrong; checked: every cell"); }
}

}  // namespace
}  // namespace ballast::job_run
