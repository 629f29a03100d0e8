// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>

#include "ballast/error.hpp"

namespace {

using ballast::bad_argument;
using ballast::device_load;
using ballast::span;

/// Two devices with two workers, two steps; device 1 does nothing in step 7.
std::vector<span> const run = {
    {.device = 0, .worker = 0, .label = "a", .step = 3, .tasks = 2, .begin_ns = 100, .end_ns = 150},
    {.device = 0, .worker = 1, .label = "a", .step = 3, .tasks = 1, .begin_ns = 120, .end_ns = 200},
    {.device = 1, .worker = 0, .label = "a", .step = 3, .tasks = 4, .begin_ns = 90, .end_ns = 130},
    {.device = 0, .worker = 0, .label = "b", .step = 7, .tasks = 1, .begin_ns = 1000, .end_ns = 1010},
    {.device = 0, .worker = 1, .label = "b", .step = 7, .tasks = 1, .begin_ns = 1030, .end_ns = 1040},
};

TEST(trace_busy_time, of_a_step_runs_from_the_first_begin_to_the_last_end_on_a_device) {
  auto const of_one_step = ballast::device_loads(std::span(run).first(3), 2);
  EXPECT_EQ(of_one_step.front().busy_ns, 100);
  EXPECT_EQ(of_one_step.back().busy_ns, 40);
}

TEST(trace_busy_time, is_summed_over_steps_but_not_over_the_time_between_them) {
  auto const loads = ballast::device_loads(run, 2);
  EXPECT_EQ(loads, (std::vector<device_load>{{140, 150, 5}, {40, 40, 4}}));
}

TEST(trace_busy_time, does_not_depend_on_the_order_of_the_spans) {
  auto reversed = run;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(ballast::device_loads(reversed, 2), ballast::device_loads(run, 2));
}

TEST(trace_busy_time, counts_a_device_without_spans_as_idle) {
  EXPECT_EQ(ballast::device_loads(run, 3).back(), device_load{});
  EXPECT_EQ(ballast::device_loads({}, 2), std::vector<device_load>(2));
}

TEST(trace_busy_time, refuses_a_span_of_a_device_that_is_not_there) {
  EXPECT_THROW(ballast::device_loads(run, 1), bad_argument);
}

TEST(trace_imbalance, is_the_largest_over_the_mean) {
  EXPECT_DOUBLE_EQ(ballast::imbalance(std::vector{3.0, 1.0}), 1.5);
  EXPECT_DOUBLE_EQ(ballast::imbalance(std::vector{2.0, 2.0, 2.0}), 1.0);
  EXPECT_DOUBLE_EQ(ballast::imbalance(std::vector{0.0, 0.0, 0.0, 5.0}), 4.0);
  EXPECT_DOUBLE_EQ(ballast::imbalance(ballast::device_loads(run, 2)), 140.0 / 90.0);
}

TEST(trace_imbalance, of_devices_that_did_nothing_is_even) {
  EXPECT_EQ(ballast::imbalance(std::vector{0.0, 0.0}), 1.0);
}

TEST(trace_imbalance, refuses_nothing_and_what_is_no_time) {
  EXPECT_THROW(ballast::imbalance(std::vector<double>{}), bad_argument);
  EXPECT_THROW(ballast::imbalance(std::vector{1.0, -1.0}), bad_argument);
  EXPECT_THROW(ballast::imbalance(std::vector{1.0, std::numeric_limits<double>::quiet_NaN()}), bad_argument);
}

}  // namespace
