// SPDX-License-Identifier: Apache-2.0
#include "invented_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <tuple>

namespace ballast::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

TEST(invented_parts, are_within_their_ranges_and_of_all_kinds) {
  std::set<std::tuple<double, speed_change>> kinds;
  std::size_t least_parts = 64, most_parts = 2;
  for (std::uint64_t number = 0; number < 900; ++number) {
    invented_parts const parts(number);
    kinds.emplace(parts.noise(), parts.change());
    EXPECT_THAT(parts.items(), AllOf(Ge(10u), Le(1'000'000u)));
    EXPECT_THAT(parts.speeds(), Each(AllOf(Ge(1.0), Le(20.0))));
    least_parts = std::min(least_parts, parts.speeds().size());
    most_parts = std::max(most_parts, parts.speeds().size());
  }
  EXPECT_EQ(kinds.size(), 9u);
  EXPECT_EQ(least_parts, 2u);
  EXPECT_EQ(most_parts, 64u);
}

TEST(invented_parts, follow_from_their_number) {
  invented_parts one(7), same(7);
  one.begin(0), same.begin(0);
  EXPECT_EQ(one.speeds(), same.speeds());
  EXPECT_EQ(one.measured(0, 5), same.measured(0, 5));
  EXPECT_NE(one.speeds(), invented_parts(16).speeds());
}

TEST(invented_parts, show_times_whose_logarithms_have_the_noise) {
  for (std::uint64_t number = 0; number < 3; ++number) {
    invented_parts parts(number);
    double sum = 0, squares = 0;
    constexpr int times = 2000;
    for (int i = 0; i < times; ++i) {
      auto const error = std::log(parts.measured(0, 100) * parts.speeds()[0] / 100);
      sum += error, squares += error * error;
    }
    EXPECT_NEAR(sum / times, 0, 0.1 * parts.noise() + 1e-12);
    EXPECT_NEAR(std::sqrt(squares / times), parts.noise(), 0.1 * parts.noise() + 1e-12);
  }
}

TEST(invented_parts, change_one_speed_threefold_at_the_step_and_each_by_a_hundredth_in_a_drift) {
  invented_parts stepping(6), drifting(3);
  auto const before = stepping.speeds(), at_first = drifting.speeds();
  for (int step = 0; step <= invented_parts::step_at; ++step) stepping.begin(step);
  int changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (auto const ratio = stepping.speeds()[i] / before[i]; ratio != 1) {
      EXPECT_NEAR(std::abs(std::log(ratio)), std::log(3), 1e-12);
      ++changed;
    }
  EXPECT_EQ(changed, 1);
  drifting.begin(0);
  for (std::size_t i = 0; i < at_first.size(); ++i)
    EXPECT_NEAR(std::abs(std::log(drifting.speeds()[i] / at_first[i])), std::log(1.01), 1e-12);
}

TEST(invented_parts, know_the_least_time_of_their_slowest) {
  int seen = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    invented_parts const parts(number);
    if (parts.speeds().size() != 2) continue;
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first <= parts.items(); ++first)
      least = std::min(least, parts.slowest({0, first, parts.items()}));
    EXPECT_NEAR(parts.least(), least, least * 1e-9) << number;
    if (++seen == 30) break;
  }
  EXPECT_EQ(seen, 30);
}

}  // namespace
}  // namespace ballast::test
