// SPDX-License-Identifier: Apache-2.0
#include "ballast/base/strong.hpp"

#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

namespace ballast {
namespace {

using lane = strong_id<struct lane_tag, std::uint32_t>;
using worker = strong_id<struct worker_tag, std::uint32_t>;

TEST(base_strong_id, does_not_convert_between_kinds_or_from_a_bare_integer) {
  EXPECT_FALSE((std::is_convertible_v<std::uint32_t, lane>));
  EXPECT_FALSE((std::is_convertible_v<lane, std::uint32_t>));
  EXPECT_FALSE((std::is_constructible_v<lane, worker>));
}

TEST(base_strong_id, is_as_small_as_its_integer_and_trivially_copyable) {
  EXPECT_EQ(sizeof(lane), sizeof(std::uint32_t));
  EXPECT_TRUE(std::is_trivially_copyable_v<lane>);
}

TEST(base_strong_id, compares_by_value_and_starts_at_zero) {
  EXPECT_EQ(lane(), lane(0));
  EXPECT_LT(lane(3), lane(4));
  EXPECT_EQ(lane(7).value(), 7u);
}

}  // namespace
}  // namespace ballast
