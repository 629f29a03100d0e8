// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ballast/stream.hpp"

namespace ballast::test {
namespace {

using namespace std::chrono_literals;

TEST(pacer, never_sleeps_without_a_slowdown) {
  pacer pace(1.0);
  EXPECT_EQ(pace.add_debt(1h), 0ns);
}

TEST(pacer, owes_the_work_times_the_slowdown_less_one) {
  EXPECT_EQ(pacer(2.0).add_debt(1ms), 1ms);
  EXPECT_EQ(pacer(3.5).add_debt(2ms), 5ms);
}

TEST(pacer, carries_small_debts_until_they_are_worth_a_sleep) {
  pacer pace(2.0);
  EXPECT_EQ(pace.add_debt(40us), 0ns);
  EXPECT_EQ(pace.add_debt(40us), 0ns);
  EXPECT_EQ(pace.add_debt(40us), 120us);
}

TEST(pacer, takes_what_a_sleep_took_too_long_off_the_next) {
  pacer pace(2.0);
  EXPECT_EQ(pace.add_debt(200us), 200us);
  pace.slept(260us);
  EXPECT_EQ(pace.add_debt(100us), 0ns);
  EXPECT_EQ(pace.add_debt(100us), 140us);
  pace.slept(140us);
  EXPECT_EQ(pace.add_debt(100us), 100us);
}

}  // namespace
}  // namespace ballast::test
