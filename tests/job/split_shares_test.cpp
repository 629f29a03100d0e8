// SPDX-License-Identifier: Apache-2.0
#include "split/split_run.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace ballast::test {
using namespace detail;
namespace {

using parts = std::vector<job_part>;
using shares = std::vector<std::uint32_t>;

/// By trying all shares of two devices.
double min_time(std::uint32_t units, std::vector<device_pace> const& paces) {
  auto least = std::numeric_limits<double>::infinity();
  for (std::uint32_t first = 0; first <= units; ++first)
    least = std::min(least, slowest_ns(shares{first, units - first}, paces));
  return least;
}

TEST(equal_parts, differ_by_one_unit_at_most_and_begin_with_the_larger_ones) {
  EXPECT_EQ(equal_parts({10, 8}, 3), (parts{{10, 3}, {13, 3}, {16, 2}}));
}

TEST(equal_parts, are_no_more_than_there_are_units) {
  EXPECT_EQ(equal_parts({0, 2}, 5), (parts{{0, 1}, {1, 1}}));
  EXPECT_EQ(equal_parts({4, 0}, 5), parts{});
}

TEST(parts_of_steps, are_whole_steps_except_the_last) {
  EXPECT_EQ(parts_of_steps({3, 10}, 8, 4), (parts{{3, 4}, {7, 4}, {11, 2}}));
  EXPECT_EQ(parts_of_steps({0, 10}, 2, 4), (parts{{0, 8}, {8, 2}}));
  EXPECT_EQ(parts_of_steps({0, 3}, 1, 4), (parts{{0, 3}}));
  EXPECT_EQ(parts_of_steps({0, 0}, 1, 4), parts{});
}

TEST(parts_of_steps, are_as_equal_as_whole_steps_allow) {
  EXPECT_EQ(parts_of_steps({0, 16}, 2, 4), (parts{{0, 8}, {8, 8}}));
  EXPECT_EQ(parts_of_steps({0, 20}, 2, 4), (parts{{0, 12}, {12, 8}}));
}

TEST(shares_by_pace, divide_by_the_speeds) {
  EXPECT_EQ(shares_by_pace(100, std::vector<device_pace>{{3}, {1}}), (shares{75, 25}));
}

TEST(shares_by_pace, end_as_early_as_whole_steps_allow) {
  for (std::uint32_t units = 0; units < 60; ++units)
    for (double const speed : {0.1, 0.5, 0.8, 1.0, 3.0, 4.5})
      for (std::uint32_t const step : {1, 2, 7}) {
        std::vector<device_pace> const paces{{1, 3}, {speed, step}};
        auto const found = shares_by_pace(units, paces);
        EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0u), units);
        EXPECT_DOUBLE_EQ(slowest_ns(found, paces), min_time(units, paces))
            << units << " units, " << speed << ", " << step;
      }
}

TEST(shares_by_pace, give_nothing_to_who_does_not_move) {
  EXPECT_EQ(shares_by_pace(7, std::vector<device_pace>{{0}, {1}, {0}}), (shares{0, 7, 0}));
}

TEST(side_by_side, ranges_follow_each_other) {
  EXPECT_EQ(side_by_side(shares{2, 0, 3}), (parts{{0, 2}, {2, 0}, {2, 3}}));
}

}  // namespace
}  // namespace ballast::test
