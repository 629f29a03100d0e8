// SPDX-License-Identifier: Apache-2.0
#include "md/run_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warm_runs.hpp"

namespace ballast::md {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

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
