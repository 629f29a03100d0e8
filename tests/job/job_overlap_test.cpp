// SPDX-License-Identifier: Apache-2.0
#include "plan/job_units.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

TEST(first_common_byte, is_none_where_units_are_apart_or_only_read) {
  EXPECT_EQ(first_common_byte({}), std::nullopt);
  EXPECT_EQ(first_common_byte({{{0, 4}, 0, true}, {{4, 8}, 1, true}}), std::nullopt);
  EXPECT_EQ(first_common_byte({{{0, 8}, 0, false}, {{4, 8}, 1, false}}), std::nullopt);
  EXPECT_EQ(first_common_byte({{{0, 8}, 3, true}, {{4, 8}, 3, false}}), std::nullopt);
}

TEST(first_common_byte, names_it_and_both_units) {
  EXPECT_EQ(first_common_byte({{{6, 9}, 1, true}, {{0, 7}, 4, false}}), (common_byte{6, 1, 4}));
  EXPECT_EQ(first_common_byte({{{0, 9}, 2, false}, {{0, 20}, 0, true}}), (common_byte{0, 0, 2}));
}

/// Every pair is compared.
bool any_in_common(std::vector<touched_bytes> const& all) {
  for (auto const& one : all)
    for (auto const& other : all)
      if (one.unit != other.unit && one.written && one.bytes.begin < other.bytes.end &&
          other.bytes.begin < one.bytes.end)
        return true;
  return false;
}

TEST(first_common_byte, finds_one_exactly_where_comparing_all_pairs_does) {
  std::mt19937 random(7);
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<touched_bytes> touched(1 + random() % 6);
    for (auto& one : touched) {
      auto const begin = random() % 24;
      one = {{begin, begin + 1 + random() % 6}, std::uint32_t(random() % 3), random() % 3 == 0};
    }
    ASSERT_EQ(first_common_byte(touched).has_value(), any_in_common(touched));
    found += any_in_common(touched) ? 1 : 0;
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace ballast::test
