// SPDX-License-Identifier: Apache-2.0
#include "arrays/byte_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;

constexpr std::size_t each = 4;

std::vector<byte_range> intervals_of(byte_runs const& runs) {
  std::vector<byte_range> found;
  runs.for_each_interval([&](byte_range bytes) { found.push_back(bytes); });
  return found;
}

/// Whether each byte of an array is in the runs; fails if one is there twice or the order is not ascending.
std::vector<bool> marks_of(byte_runs const& runs, std::size_t bytes) {
  std::vector<bool> marks(bytes);
  std::size_t behind = 0;
  for (auto const interval : intervals_of(runs)) {
    EXPECT_GE(interval.begin, behind);
    EXPECT_LT(interval.begin, interval.end);
    for (auto i = interval.begin; i < interval.end; ++i) marks.at(i) = true;
    behind = interval.end;
  }
  return marks;
}

std::vector<bool> marks_of(box const& elements, extents const& array) {
  auto const sizes = array.sides();
  std::vector<bool> marks(array.elements() * each);
  for (auto z = elements.sides[0].begin; z < elements.sides[0].end; ++z)
    for (auto y = elements.sides[1].begin; y < elements.sides[1].end; ++y)
      for (auto x = elements.sides[2].begin; x < elements.sides[2].end; ++x)
        for (std::size_t i = 0; i < each; ++i) marks[((z * sizes[1] + y) * sizes[2] + x) * each + i] = true;
  return marks;
}

std::vector<bool> within(std::vector<bool> marks, byte_range bounds) {
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = marks[i] && i >= bounds.begin && i < bounds.end;
  return marks;
}

class random_shapes {
 public:
  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution(least, most)(engine_);
  }
  index_range range_in(std::size_t size) {
    auto const begin = number(0, size), end = number(0, size);
    return {begin, end};
  }
  box box_in(extents const& array) {
    auto const& sides = array.sides();
    return {{{range_in(sides[0]), range_in(sides[1]), range_in(sides[2])}}};
  }
  box filled_box_in(extents const& array) {
    auto const filled = [&](std::size_t size) {
      auto const begin = number(0, size - 1);
      return index_range{begin, number(begin + 1, size)};
    };
    auto const& sides = array.sides();
    return {{{filled(sides[0]), filled(sides[1]), filled(sides[2])}}};
  }
  extents shape() { return {number(0, 4), number(0, 4), number(0, 5)}; }

 private:
  std::mt19937 engine_{7};
};

TEST(byte_runs, full_rows_are_one_run) {
  byte_runs const runs(box{{{{0, 1}, {2, 5}, {0, 8}}}}, {10, 8}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{64, 96, 1, 0, 1, 0}));
}

TEST(byte_runs, full_planes_are_one_run) {
  byte_runs const runs(box{{{{1, 3}, {0, 5}, {0, 2}}}}, {4, 5, 2}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{40, 80, 1, 0, 1, 0}));
}

TEST(byte_runs, columns_of_a_plane_are_one_pitched_run) {
  byte_runs const runs(box{{{{0, 1}, {0, 10}, {2, 5}}}}, {10, 8}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{8, 12, 10, 32, 1, 0}));
}

TEST(byte_runs, columns_of_full_planes_are_rows_of_one_plane) {
  byte_runs const runs(box{{{{1, 3}, {0, 5}, {0, 1}}}}, {4, 5, 2}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{40, 4, 10, 8, 1, 0}));
}

TEST(byte_runs, rows_of_several_planes_are_pitched_by_the_plane) {
  byte_runs const runs(box{{{{1, 3}, {1, 3}, {0, 2}}}}, {4, 5, 2}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{48, 16, 2, 40, 1, 0}));
}

TEST(byte_runs, a_true_box_is_one_run_of_rows_and_planes) {
  byte_runs const runs(box{{{{1, 3}, {1, 3}, {0, 1}}}}, {4, 5, 2}, each);
  EXPECT_THAT(runs.runs(), ElementsAre(pitched_run{48, 4, 2, 8, 2, 40}));
}

TEST(byte_runs, ranges_are_sorted_and_joined_where_they_meet_or_overlap) {
  byte_runs const runs({{9, 10}, {4, 6}, {6, 7}, {5, 6}, {8, 8}}, {10}, each);
  EXPECT_THAT(intervals_of(runs), ElementsAre(byte_range{16, 28}, byte_range{36, 40}));
  EXPECT_EQ(runs.hull(), (byte_range{16, 40}));
  EXPECT_EQ(runs.bytes(), 16u);
}

TEST(byte_runs, of_nothing_are_empty) {
  EXPECT_TRUE(byte_runs(region(), {10}, each).is_empty());
  EXPECT_TRUE(byte_runs({{3, 3}, {9, 2}}, {10}, each).is_empty());
  EXPECT_TRUE(byte_runs(whole({0, 7}), {0, 7}, each).is_empty());
  EXPECT_TRUE(byte_runs(box{{{{0, 1}, {5, 2}, {0, 8}}}}, {10, 8}, each).is_empty());
  EXPECT_EQ(byte_runs().hull(), byte_range());
  EXPECT_TRUE(byte_runs().intersect({0, 100}).is_empty());
}

TEST(byte_runs, hold_the_bytes_of_any_box_and_no_others) {
  random_shapes random;
  for (int i = 0; i < 2000; ++i) {
    auto const array = random.shape();
    auto const elements = random.box_in(array);
    byte_runs const runs(elements, array, each);
    ASSERT_EQ(marks_of(runs, array.elements() * each), marks_of(elements, array));
    ASSERT_LE(runs.runs().size(), 1u);
  }
}

TEST(byte_runs, intersect_to_the_bytes_within_in_at_most_five_runs) {
  random_shapes random;
  for (int i = 0; i < 4000; ++i) {
    auto const array = random.shape();
    auto const elements = random.box_in(array);
    auto const bytes = array.elements() * each;
    byte_range const bounds{random.number(0, bytes), random.number(0, bytes + 3)};
    auto const common = byte_runs(elements, array, each).intersect(bounds);
    ASSERT_EQ(marks_of(common, bytes), within(marks_of(elements, array), bounds));
    ASSERT_LE(common.runs().size(), 5u);
    for (auto const& run : common.runs()) ASSERT_EQ(run, normalised(run));
  }
}

TEST(byte_runs, many_ranges_intersect_to_those_within) {
  byte_runs const runs({{0, 2}, {4, 6}, {8, 10}, {12, 14}}, {16}, 1);
  EXPECT_THAT(intervals_of(runs.intersect({5, 13})),
              ElementsAre(byte_range{5, 6}, byte_range{8, 10}, byte_range{12, 13}));
  EXPECT_TRUE(runs.intersect({6, 8}).is_empty());
}

TEST(byte_runs, meet_where_a_byte_is_in_both) {
  random_shapes random;
  int meetings = 0;
  for (int i = 0; i < 4000; ++i) {
    extents const array{random.number(1, 4), random.number(1, 4), random.number(1, 5)};
    auto const one = random.filled_box_in(array), other = random.filled_box_in(array);
    auto const in_one = marks_of(one, array), in_other = marks_of(other, array);
    bool common = false;
    for (std::size_t byte = 0; byte < in_one.size(); ++byte)
      common = common || (in_one[byte] && in_other[byte]);
    ASSERT_EQ(byte_runs(one, array, each).overlaps(byte_runs(other, array, each)), common);
    meetings += common;
  }
  EXPECT_GT(meetings, 100);
  EXPECT_LT(meetings, 3900);
  EXPECT_FALSE(byte_runs().overlaps(byte_runs(region({{0, 4}}), {4}, 1)));
}

TEST(byte_runs, count_the_bytes_of_all_rows_and_planes) {
  EXPECT_EQ(byte_runs(box{{{{1, 3}, {1, 3}, {0, 1}}}}, {4, 5, 2}, each).bytes(), 16u);
}

TEST(byte_runs, of_a_box_go_from_its_first_byte_to_behind_its_last) {
  random_shapes random;
  for (int i = 0; i < 500; ++i) {
    extents const array{random.number(1, 4), random.number(1, 4), random.number(1, 5)};
    byte_runs const runs(random.filled_box_in(array), array, each);
    auto const all = intervals_of(runs);
    ASSERT_EQ(runs.hull(), (byte_range{all.front().begin, all.back().end}));
  }
}

}  // namespace
}  // namespace ballast::test
