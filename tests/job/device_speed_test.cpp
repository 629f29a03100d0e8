// SPDX-License-Identifier: Apache-2.0
#include "split/split_run.hpp"

#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

device_speed of_speed(double steps_per_ns) {
  device_speed speed;
  speed.learn(1, 1 / steps_per_ns);
  return speed;
}

TEST(device_speed, is_unknown_at_first_and_after_runs_without_units) {
  device_speed speed;
  speed.learn(0, 0);
  EXPECT_EQ(speed.steps_per_ns(), 0);
}

TEST(device_speed, moves_half_way_to_what_is_new) {
  auto speed = of_speed(2);
  speed.learn(3, 1);
  EXPECT_DOUBLE_EQ(speed.steps_per_ns(), 2.5);
}

TEST(device_speed, does_not_count_one_run_or_two_that_are_far_off) {
  auto speed = of_speed(2);
  speed.learn(5, 1);
  speed.learn(1, 2);
  EXPECT_DOUBLE_EQ(speed.steps_per_ns(), 2);
  speed.learn(2, 1);
  speed.learn(5, 1);
  speed.learn(5, 1);
  EXPECT_DOUBLE_EQ(speed.steps_per_ns(), 2);
}

TEST(device_speed, is_hoped_to_be_higher_after_more_than_a_hundred_runs_without_units) {
  auto speed = of_speed(2);
  for (int run = 0; run < 100; ++run) speed.learn(0, 0);
  EXPECT_EQ(speed.hoped_steps_per_ns(), 2);
  for (int run = 0; run < 200; ++run) speed.learn(0, 0);
  EXPECT_EQ(speed.hoped_steps_per_ns(), 6);
  EXPECT_EQ(speed.steps_per_ns(), 2);
}

TEST(device_speed, begins_anew_after_a_hundred_runs_without_units) {
  for (int const runs : {99, 100}) {
    auto speed = of_speed(2);
    for (int run = 0; run < runs; ++run) speed.learn(0, 0);
    speed.learn(1, 1);
    EXPECT_EQ(speed.hoped_steps_per_ns(), runs == 100 ? 1 : 1.5);
  }
}

TEST(device_speed, is_another_after_three_such_runs_in_a_row) {
  auto speed = of_speed(2);
  for (int run = 0; run < 3; ++run) speed.learn(8, 1);
  EXPECT_DOUBLE_EQ(speed.steps_per_ns(), 8);
}

}  // namespace
}  // namespace ballast::test
