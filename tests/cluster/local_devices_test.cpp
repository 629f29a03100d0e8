// SPDX-License-Identifier: Apache-2.0
#include "local_devices.hpp"

#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(feed_ahead, doubles_each_time_that_workers_had_nothing_though_there_was_more) {
  feed_ahead ahead(64);
  EXPECT_EQ(ahead.tasks(), 2u);
  ahead.look(0, 0, true);  // the first look: nothing could wait before
  EXPECT_EQ(ahead.tasks(), 2u);
  ahead.look(1000, 0, true);
  ahead.look(2000, 0, true);
  EXPECT_EQ(ahead.tasks(), 8u);
}

TEST(feed_ahead, stays_when_there_is_no_more) {
  feed_ahead ahead(64);
  for (int look = 0; look < 100; ++look) ahead.look(look * ms, 0, false);
  EXPECT_EQ(ahead.tasks(), 2u);
}

TEST(feed_ahead, falls_to_its_least_while_tasks_just_wait) {
  feed_ahead ahead(64);
  for (int look = 0; look < 12; ++look) ahead.look(look, 0, true);
  EXPECT_GT(ahead.tasks(), 2000u);
  for (int look = 0; look < 1000; ++look) ahead.look(look * ms, ahead.tasks(), true);
  EXPECT_EQ(ahead.tasks(), 2u);
}

TEST(feed_ahead, holds_one_for_each_worker_once_there_are_none_since_the_next_ones_may_be_longer) {
  feed_ahead ahead(64);
  for (int look = 0; look < 12; ++look) ahead.look(look, 0, true);
  ahead.look(12, 5, false);
  EXPECT_GT(ahead.tasks(), 2000u) << "some still wait";
  ahead.look(13, 0, false);
  EXPECT_EQ(ahead.tasks(), 64u);
}

TEST(execution_rate, is_that_of_times_when_all_workers_had_tasks) {
  execution_rate rate;
  EXPECT_EQ(rate.tasks_per_ns(), 0);
  rate.look(0, 0, true);
  for (int look = 1; look <= 10; ++look) rate.look(look * ms, 1000, true);
  EXPECT_DOUBLE_EQ(rate.tasks_per_ns(), 0.001);
  for (int look = 11; look <= 100; ++look) rate.look(look * ms, 0, false);
  EXPECT_DOUBLE_EQ(rate.tasks_per_ns(), 0.001);
}

TEST(execution_rate, is_not_that_of_a_moment_or_of_a_time_in_which_no_task_ended) {
  execution_rate rate;
  rate.look(0, 0, true);
  rate.look(ms, 5, true);
  EXPECT_EQ(rate.tasks_per_ns(), 0) << "who knows after a millisecond";
  rate.look(10 * ms, 5, true);
  EXPECT_DOUBLE_EQ(rate.tasks_per_ns(), 1e-6);
  for (int look = 1; look <= 3; ++look) rate.look(10 * ms + look * 20 * ms, 0, true);
  rate.look(70 * ms, 0, true);
  EXPECT_DOUBLE_EQ(rate.tasks_per_ns(), 1e-6);
}

}  // namespace
}  // namespace ballast::test
