// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/strong.hpp"

#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

namespace ballast {
using namespace detail;
namespace {

using stream_id = strong_id<struct stream_tag, std::uint32_t>;
using worker = strong_id<struct worker_tag, std::uint32_t>;

TEST(base_strong_id, does_not_convert_between_kinds_or_from_a_bare_integer) {
  EXPECT_FALSE((std::is_convertible_v<std::uint32_t, stream_id>));
  EXPECT_FALSE((std::is_convertible_v<stream_id, std::uint32_t>));
  EXPECT_FALSE((std::is_constructible_v<stream_id, worker>));
}

TEST(base_strong_id, is_as_small_as_its_integer_and_trivially_copyable) {
  EXPECT_EQ(sizeof(stream_id), sizeof(std::uint32_t));
  EXPECT_TRUE(std::is_trivially_copyable_v<stream_id>);
}

TEST(base_strong_id, compares_by_value_and_starts_at_zero) {
  EXPECT_EQ(stream_id(), stream_id(0));
  EXPECT_LT(stream_id(3), stream_id(4));
  EXPECT_EQ(stream_id(7).value(), 7u);
}

}  // namespace
}  // namespace ballast
