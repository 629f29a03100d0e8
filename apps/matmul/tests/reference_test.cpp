// SPDX-License-Identifier: Apache-2.0
#include "matmul/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace ballast::matmul {
namespace {

TEST(matmul_factors, are_small_numbers_that_follow_from_row_and_column) {
  EXPECT_EQ(element_of_a(0, 0), -8);
  EXPECT_EQ(element_of_a(2, 3), (14 + 39) % 17 - 8);
  EXPECT_EQ(element_of_b(2, 3), (22 + 15) % 17 - 8);
  EXPECT_EQ(element_of_a(4'000'000'000u, 4'000'000'000u), 80'000'000'000 % 17 - 8);
}

TEST(matmul_factors, are_laid_out_row_by_row) {
  product_shape const shape{4, 5, 6};
  std::vector<std::int32_t> a(20), b(30);
  fill_a(shape, a);
  fill_b(shape, b);
  EXPECT_EQ(a[2 * 5 + 3], element_of_a(2, 3));
  EXPECT_EQ(b[2 * 6 + 3], element_of_b(2, 3));
  EXPECT_EQ(*std::ranges::min_element(b), -8);
  EXPECT_EQ(*std::ranges::max_element(b), 8);
}

TEST(matmul_reference, multiplies_by_the_unit_matrix_and_by_hand) {
  std::vector<std::int32_t> const a{1, 2, 3, 4, 5, 6}, unit{1, 0, 0, 0, 1, 0, 0, 0, 1}, b{1, 10, 100};
  EXPECT_EQ(multiplied({{2, 3, 3}, a, unit, {}}), a);
  EXPECT_EQ(multiplied({{2, 3, 1}, a, b, {}}), (std::vector<std::int32_t>{321, 654}));
}

TEST(matmul_reference, has_a_test_that_passes_the_product_and_finds_one_wrong_element) {
  product_shape const shape{60, 70, 50};
  std::vector<std::int32_t> a(shape.elements_of_a()), b(shape.elements_of_b());
  fill_a(shape, a);
  fill_b(shape, b);
  auto c = multiplied({shape, a, b, {}});
  EXPECT_TRUE(passes_freivalds_test({shape, a, b, c}));
  for (std::size_t const wrong : {std::size_t{0}, std::size_t{1234}, c.size() - 1}) {
    c[wrong] += 1;
    EXPECT_FALSE(passes_freivalds_test({shape, a, b, c})) << wrong;
    c[wrong] -= 1;
  }
  std::swap(c[3], c[60]);
  EXPECT_FALSE(passes_freivalds_test({shape, a, b, c}));
}

}  // namespace
}  // namespace ballast::matmul
