// SPDX-License-Identifier: Apache-2.0
#include "plan/job_units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using parts = std::vector<job_part>;

/// Of units that read so far beyond themselves.
read_in_common neighbours_within(std::uint32_t distance) {
  return [=](std::uint32_t unit, std::uint32_t other) {
    return (unit < other ? other - unit : unit - other) <= distance;
  };
}

TEST(boundary_first, both_ends_of_a_part_in_the_middle_come_before_the_rest) {
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(1)),
            (parts{{1000, 1}, {1499, 1}, {1001, 498}}));
}

TEST(boundary_first, an_end_has_as_many_units_as_a_neighbour_reads_of) {
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(4)),
            (parts{{1000, 4}, {1496, 4}, {1004, 492}}));
}

TEST(boundary_first, the_edges_of_the_grid_have_no_neighbours) {
  EXPECT_EQ(boundary_first({0, 500}, 1000, neighbours_within(1)), (parts{{499, 1}, {0, 499}}));
  EXPECT_EQ(boundary_first({500, 500}, 1000, neighbours_within(1)), (parts{{500, 1}, {501, 499}}));
  EXPECT_EQ(boundary_first({0, 1000}, 1000, neighbours_within(1)), (parts{{0, 1000}}));
}

TEST(boundary_first, a_part_is_whole_where_units_read_nothing_in_common) {
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(0)), (parts{{1000, 500}}));
}

TEST(boundary_first, a_part_is_whole_if_an_end_would_be_more_than_a_hundredth_of_it) {
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(5)).size(), 3u);
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(6)), (parts{{1000, 500}}));
  EXPECT_EQ(boundary_first({1000, 99}, 2000, neighbours_within(1)), (parts{{1000, 99}}));
  EXPECT_EQ(boundary_first({5, 0}, 2000, neighbours_within(1)), (parts{{5, 0}}));
  EXPECT_EQ(boundary_first({1000, 500}, 2000, neighbours_within(100000)), (parts{{1000, 500}}));
}

TEST(boundary_first, each_unit_is_in_exactly_one_piece) {
  for (std::uint32_t first = 0; first < 400; first += 57)
    for (std::uint32_t count = 1; first + count <= 700; count += 13)
      for (std::uint32_t distance = 0; distance < 5; ++distance) {
        std::vector<int> times(700, 0);
        for (auto const piece : boundary_first({first, count}, 700, neighbours_within(distance)))
          for (std::uint32_t unit = piece.first; unit < piece.first + piece.count; ++unit) ++times[unit];
        for (std::uint32_t unit = 0; unit < 700; ++unit)
          ASSERT_EQ(times[unit], unit >= first && unit < first + count ? 1 : 0) << unit;
      }
}

}  // namespace
}  // namespace ballast::test
