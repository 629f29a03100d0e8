// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ballast/stream.hpp"

namespace ballast::test {
namespace {

constexpr std::uint64_t us = 1000;

TEST(pacer, never_sleeps_without_a_slowdown) {
  detail::pacer pace(1.0);
  EXPECT_EQ(pace.add_debt(3600'000'000 * us), 0u);
}

TEST(pacer, owes_the_work_times_the_slowdown_less_one) {
  EXPECT_EQ(detail::pacer(2.0).add_debt(1000 * us), 1000 * us);
  EXPECT_EQ(detail::pacer(3.5).add_debt(2000 * us), 5000 * us);
}

TEST(pacer, carries_small_debts_until_they_are_worth_a_sleep) {
  detail::pacer pace(2.0);
  EXPECT_EQ(pace.add_debt(40 * us), 0u);
  EXPECT_EQ(pace.add_debt(40 * us), 0u);
  EXPECT_EQ(pace.add_debt(40 * us), 120 * us);
}

TEST(pacer, takes_what_a_sleep_took_too_long_off_the_next) {
  detail::pacer pace(2.0);
  EXPECT_EQ(pace.add_debt(200 * us), 200 * us);
  pace.slept(260 * us);
  EXPECT_EQ(pace.add_debt(100 * us), 0u);
  EXPECT_EQ(pace.add_debt(100 * us), 140 * us);
  pace.slept(140 * us);
  EXPECT_EQ(pace.add_debt(100 * us), 100 * us);
}

}  // namespace
}  // namespace ballast::test
