// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <gtest/gtest.h>

#include "refused_argument.hpp"

namespace ballast::test {
namespace {

TEST(job_grid, is_cut_along_the_last_dimension_with_more_than_one_block) {
  EXPECT_EQ(job_grid(7).along(), cut::x);
  EXPECT_EQ(job_grid(7, 3).along(), cut::y);
  EXPECT_EQ(job_grid(7, 3, 2).along(), cut::z);
  EXPECT_EQ(job_grid(7, 1, 2).along(), cut::z);
  EXPECT_EQ(job_grid(1).along(), cut::x);
}

TEST(job_grid, counts_the_indices_of_the_cut_dimension_and_the_blocks_of_each) {
  job_grid const slowest(7, 5, 3);
  EXPECT_EQ(slowest.units(), 3u);
  EXPECT_EQ(slowest.blocks_of_unit(), 35u);
  job_grid const across({7, 5, 3}, cut::y);
  EXPECT_EQ(across.units(), 5u);
  EXPECT_EQ(across.blocks_of_unit(), 21u);
  job_grid const along_rows({7, 5, 3}, cut::x);
  EXPECT_EQ(along_rows.units(), 7u);
  EXPECT_EQ(along_rows.blocks_of_unit(), 15u);
}

TEST(job_grid, has_more_blocks_in_a_unit_than_32_bits_hold) {
  EXPECT_EQ(job_grid(2147483647, 2147483647, 2).blocks_of_unit(), 2147483647ull * 2147483647ull);
}

TEST(job_grid, without_blocks_has_no_units_in_any_cut) {
  for (auto const along : {cut::slowest, cut::x, cut::y, cut::z})
    for (launch_extent const blocks : {launch_extent(0), launch_extent(4, 0), launch_extent(4, 5, 0)})
      EXPECT_EQ(job_grid(blocks, along).units(), 0u);
  EXPECT_EQ(job_grid({4, 0, 3}, cut::y).blocks_of_unit(), 0u);
  EXPECT_EQ(job_grid(0).blocks_of_unit(), 0u);
}

TEST(job_grid, refuses_counts_that_no_launch_takes) {
  EXPECT_EQ(refused_argument([] { job_grid(-1); }), "grid");
  EXPECT_EQ(refused_argument([] { job_grid(1, 2147483648u); }), "grid");
  EXPECT_EQ(refused_argument([] { job_grid(1, 1, 1ull << 40); }), "grid");
  EXPECT_EQ(refused_argument([] { job_grid(2147483647); }), "nothing");
}

}  // namespace
}  // namespace ballast::test
