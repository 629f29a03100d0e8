// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "refused_argument.hpp"

namespace ballast::test {
namespace {

constexpr std::size_t half = SIZE_MAX / 2 + 1;

TEST(extents, tell_sizes_slowest_first_and_pad_with_ones_in_front) {
  extents const shape{3, 5};
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape[0], 3u);
  EXPECT_EQ(shape[1], 5u);
  EXPECT_EQ(shape.elements(), 15u);
  EXPECT_EQ(shape.sides(), (std::array<std::size_t, 3>{1, 3, 5}));
}

TEST(extents, of_different_rank_differ) { EXPECT_NE((extents{1, 5}), extents{5}); }

TEST(extents, may_have_no_elements) {
  EXPECT_EQ((extents{0, 7, 4}).elements(), 0u);
  EXPECT_EQ(extents{0}.elements(), 0u);
}

TEST(extents, refuse_a_product_that_does_not_fit_even_beside_a_zero) {
  EXPECT_EQ(refused_argument([] { extents{half, 2}; }), "sizes");
  EXPECT_EQ(refused_argument([] { extents{0, half, 2}; }), "sizes");
  EXPECT_EQ(refused_argument([] { extents{half, 1, 1}; }), "nothing");
}

TEST(extents, refuse_any_other_rank_than_one_to_three) {
  EXPECT_EQ(refused_argument([] { extents(std::vector<std::size_t>()); }), "sizes");
  EXPECT_EQ(refused_argument([] { extents{1, 1, 1, 1}; }), "sizes");
}

TEST(extents, whole_is_a_box_of_all_elements) {
  EXPECT_EQ(whole({3, 5}), (box{{{{0, 1}, {0, 3}, {0, 5}}}}));
  EXPECT_TRUE(whole({3, 0}).is_empty());
}

}  // namespace
}  // namespace ballast::test
