// SPDX-License-Identifier: Apache-2.0
#include "md/run_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/trace.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Ten evaluations that took `seconds` in all, with these busy times of the devices.
solution_report took(solution which, double seconds, std::vector<double> busy) {
  solution_report one;
  one.which = which;
  one.evaluations = 10;
  one.seconds_per_step = seconds / 10;
  one.times.forces = seconds;
  one.imbalance = ballast::imbalance(busy);
  one.busy_seconds = std::move(busy);
  return one;
}

std::string gain_on(std::vector<std::string> devices, std::vector<solution_report> solutions) {
  comparison result;
  result.devices = std::move(devices);
  result.solutions = std::move(solutions);
  return gain_of(result);
}

std::string gain_on_two(std::vector<solution_report> solutions) {
  return gain_on({"host:1#0", "host:1#1"}, std::move(solutions));
}

std::string gain_on_one(std::vector<solution_report> solutions) {
  return gain_on({"cuda:0"}, std::move(solutions));
}

TEST(md_gain, tells_how_idle_s1_left_a_device_and_what_part_of_its_time_tq_took) {
  EXPECT_EQ(gain_on_two({took(solution::s1, 1, {1, 0.4}), took(solution::tq, 0.7, {0.7, 0.7})}),
            "S1 left host:1#1 idle for 60 % of the time. TQ took 0.70 of S1's time.");
}

TEST(md_gain, names_the_device_that_was_idle_longest) {
  EXPECT_EQ(gain_on({"cuda:0", "cuda:1", "host:2"},
                    {took(solution::s1, 1, {0.5, 0.1, 1}), took(solution::tq, 0.005, {0.004, 0.004, 0.004})}),
            "S1 left cuda:1 idle for 90 % of the time. TQ took 0.0050 of S1's time.");
}

TEST(md_gain, says_that_there_was_little_to_balance_where_s1_was_even) {
  EXPECT_EQ(
      gain_on_two({took(solution::s1, 1, {1, 0.97}), took(solution::tq, 1.05, {1, 1})}),
      "S1 left host:1#1 idle for 3 % of the time. TQ took 1.05 of S1's time: there was little to balance.");
  EXPECT_EQ(gain_on_two({took(solution::s1, 1, {1, 0.999}), took(solution::tq, 1.004, {1, 1})}),
            "S1 kept every device busy all the time. TQ took as long as S1: there was little to balance.");
}

TEST(md_gain, does_not_call_an_uneven_s1_even_because_tq_was_slower) {
  EXPECT_EQ(gain_on_two({took(solution::s1, 1, {0.5, 1}), took(solution::tq, 12.34, {12, 12})}),
            "S1 left host:1#0 idle for 50 % of the time. "
            "TQ took 12.3 of S1's time: handing out tasks cost more than it gained.");
  EXPECT_EQ(gain_on_two({took(solution::s1, 1, {0.5, 1}), took(solution::tq, 0.996, {1, 1})}),
            "S1 left host:1#0 idle for 50 % of the time. "
            "TQ took as long as S1: handing out tasks cost as much as it gained.");
}

TEST(md_gain, rounds_no_time_below_s1s_to_a_whole) {
  EXPECT_THAT(gain_on_two({took(solution::s1, 1, {1, 1}), took(solution::tq, 0.9949, {1, 1})}),
              HasSubstr("TQ took 0.99 of S1's time."));
}

TEST(md_gain, says_of_one_device_that_nothing_was_to_balance) {
  EXPECT_EQ(gain_on_one({took(solution::s1, 1, {0.8}), took(solution::tq, 1.1, {1})}),
            "One device leaves nothing to balance. TQ took 1.10 of S1's time.");
  EXPECT_EQ(gain_on_one({took(solution::s1, 1, {0.8}), took(solution::tq, 0.9, {1})}),
            "One device leaves nothing to balance. TQ took 0.90 of S1's time.");
}

TEST(md_gain, says_which_of_s1_and_tq_did_not_run) {
  EXPECT_EQ(
      gain_on_two({took(solution::s1, 1, {1, 0.4}), took(solution::s3, 0.8, {0.8, 0.8})}),
      "S1 left host:1#1 idle for 60 % of the time. TQ did not run, so what it would gain was not measured.");
  EXPECT_EQ(
      gain_on_two({took(solution::tq, 1, {1, 0.9})}),
      "TQ left host:1#1 idle for 10 % of the time. S1 did not run, so what TQ gained was not measured.");
  EXPECT_EQ(gain_on_one({took(solution::tq, 1, {1})}),
            "One device leaves nothing to balance. S1 did not run, so what TQ gained was not measured.");
  EXPECT_EQ(gain_on_two({took(solution::s2, 1, {1, 1}), took(solution::s3, 1, {1, 1})}), "");
}

TEST(md_legend, has_a_line_for_each_solution_that_ran) {
  comparison result;
  result.solutions = {took(solution::s2, 1, {1}), took(solution::chen, 1, {1})};
  EXPECT_THAT(legend_of(result), testing::StartsWith("S2    each device gets"));
  EXPECT_THAT(legend_of(result), HasSubstr("\nchen  TQ's tasks"));
  EXPECT_THAT(legend_of(result), Not(HasSubstr("S1  ")));
  EXPECT_THAT(legend_of(result), Not(HasSubstr("TQ  ")));
}

using testing::ContainsRegex;

solution_report timed(solution which, std::int64_t steps, double seconds_of_motion) {
  solution_report one;
  one.which = which;
  one.evaluations = steps;
  one.times.motion = seconds_of_motion;
  return one;
}

/// S1 made all its steps, S2 was interrupted after two.
comparison interrupted_in_s2() {
  comparison result;
  result.steps = 2;
  result.interrupted = true;
  result.solutions = {timed(solution::s1, 1000, 1.0), timed(solution::s2, 2, 0.01)};
  return result;
}

TEST(md_run_report, divides_times_by_the_steps_that_each_solution_made) {
  auto const text = report_as_text(plan_of(10, 1000), interrupted_in_s2(), {}, charset::ascii);
  EXPECT_THAT(text, ContainsRegex("S1 +1.000 ms"));
  EXPECT_THAT(text, ContainsRegex("S2 +5.000 ms"));
}

TEST(md_run_report, says_how_many_ranks_ran_and_whose_times_these_are) {
  auto result = interrupted_in_s2();
  EXPECT_THAT(report_as_text(plan_of(10, 2), result, {}, charset::ascii), Not(HasSubstr("ranks")));
  result.ranks = 3;
  result.bytes_sent = 2048;
  EXPECT_THAT(
      report_as_text(plan_of(10, 2), result, {}, charset::ascii),
      HasSubstr("\n3 ranks; devices and times are the first one's, which sent 2 KiB and received 0 B"));
  EXPECT_THAT(report_as_json(plan_of(10, 2), result).text(0), HasSubstr("\"ranks\""));
}

TEST(md_run_report, says_how_early_a_run_was_stopped) {
  auto result = interrupted_in_s2();
  EXPECT_THAT(report_as_text(plan_of(10, 1000), result, {}, charset::ascii),
              HasSubstr("2 steps of 2.000 fs, stopped before the 1000 planned\n"));
  result.steps = 1000;  // stopped in a later repetition
  EXPECT_THAT(report_as_text(plan_of(10, 1000), result, {}, charset::ascii),
              HasSubstr("1000 steps of 2.000 fs, stopped early\n"));
}

}  // namespace
}  // namespace ballast::md
