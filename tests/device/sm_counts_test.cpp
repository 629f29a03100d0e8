// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;

/// A driver that rounds up to multiples of 8 and refuses more than 128.
int rounded_up(int asked) {
  auto const given = (asked + 7) / 8 * 8;
  return given <= 128 ? given : 0;
}

TEST(sm_counts, are_those_that_a_driver_does_not_round) {
  EXPECT_THAT(sm_counts(20, rounded_up), ElementsAre(8, 16));
  EXPECT_EQ(sm_counts(132, rounded_up).size(), 16u);
}

TEST(sm_counts, are_told_as_equal_steps_where_they_are) {
  EXPECT_EQ(description(sm_counts(132, rounded_up)), "8 to 128 in steps of 8");
  EXPECT_EQ(description(std::vector{8, 16, 40}), "8, 16, 40");
  EXPECT_EQ(description(std::vector{8, 16}), "8, 16");
  EXPECT_EQ(description(std::vector{8}), "8");
  EXPECT_EQ(description(std::vector<int>{}), "none");
}

}  // namespace
}  // namespace ballast::test
