// SPDX-License-Identifier: Apache-2.0
#include "report/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace {

using namespace std::chrono_literals;
using ballast::progress;

/// A clock that only the test moves, and the written text.
struct stage {
  std::vector<std::string> lines;
  ballast::clock::time_point time{};

  ballast::progress_output output(bool terminal) {
    return {[this](std::string_view text) { lines.emplace_back(text); }, terminal};
  }
  progress watch(std::uint64_t total, bool terminal) {
    return progress("md", total, "steps", output(terminal), [this] { return time; });
  }
};

TEST(report_progress, gives_rate_and_remaining_time_in_plain_lines) {
  stage on;
  auto steps = on.watch(1000, false);
  on.time += 20s;
  steps.update(100);
  EXPECT_EQ(on.lines, std::vector<std::string>{"md: 100 of 1000 steps, 5.00 steps/s, 3 min 00 s left\n"});
}

TEST(report_progress, writes_plain_lines_at_most_every_ten_seconds) {
  stage on;
  auto steps = on.watch(100, false);
  for (std::uint64_t done = 1; done <= 100; ++done) {
    on.time += 250ms;
    steps.update(done);
  }
  EXPECT_EQ(on.lines.size(), 2u);
}

TEST(report_progress, draws_over_the_line_on_a_terminal_and_erases_a_longer_one) {
  stage on;
  auto steps = on.watch(10, true);
  on.time += 100s;
  steps.update(1);
  on.time += 50ms;
  steps.update(2);
  on.time += 1s;
  steps.update(10);
  ASSERT_EQ(on.lines.size(), 2u);
  EXPECT_EQ(on.lines[0], "\rmd: 1 of 10 steps, 0.0100 steps/s, 15 min 00 s left");
  EXPECT_EQ(on.lines[1], "\rmd: 10 of 10 steps, 0.0990 steps/s, 0.0 s left     ");
  EXPECT_EQ(on.lines[0].size(), on.lines[1].size());
}

TEST(report_progress, ends_with_the_whole_time_once) {
  stage on;
  auto steps = on.watch(10, true);
  on.time += 4s;
  steps.update(10);
  on.lines.clear();
  steps.finish();
  steps.finish();
  ASSERT_EQ(on.lines.size(), 2u);
  EXPECT_TRUE(on.lines[0].starts_with("\rmd: 10 steps in 4.0 s, 2.50 steps/s"));
  EXPECT_EQ(on.lines[1], "\n");
}

TEST(report_progress, promises_no_end_that_it_does_not_know) {
  stage on;
  auto steps = on.watch(0, false);
  on.time += 10s;
  steps.update(0);
  on.time += 10s;
  steps.update(50);
  EXPECT_EQ(on.lines, (std::vector<std::string>{"md: 0 steps in 10 s\n", "md: 50 steps, 2.50 steps/s\n"}));
}

TEST(report_progress, says_nothing_of_a_run_that_ends_at_once_but_its_end) {
  stage on;
  auto steps = on.watch(1, false);
  steps.update(1);
  steps.finish();
  EXPECT_EQ(on.lines, std::vector<std::string>{"md: 1 steps in 0.0 s\n"});
}

TEST(report_duration, is_told_in_the_two_largest_units) {
  EXPECT_EQ(ballast::duration_text(0.04), "0.0 s");
  EXPECT_EQ(ballast::duration_text(9.96), "10 s");
  EXPECT_EQ(ballast::duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(ballast::duration_text(3599.6), "1 h 00 min");
  EXPECT_EQ(ballast::duration_text(8040), "2 h 14 min");
  EXPECT_EQ(ballast::duration_text(86400 * 3 + 3600), "3 d 01 h");
}

TEST(report_part_begins, tells_what_is_left_by_what_the_parts_before_took) {
  EXPECT_EQ(ballast::part_begins(1, 12, 0), "[1 of 12, 0.0 s so far]");
  EXPECT_EQ(ballast::part_begins(3, 12, 40), "[3 of 12, 40 s so far, about 3 min 20 s left]");
  EXPECT_EQ(ballast::part_begins(12, 12, 110), "[12 of 12, 1 min 50 s so far, about 10 s left]");
}

}  // namespace
