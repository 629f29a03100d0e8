// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/byte_runs.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

/// What a call that takes a map sees.
region touched_by(access_map const& map, job_part part, std::uint32_t units, extents const& array) {
  return map.of({part, units, array});
}

std::string refusal_of(access_map const& map, std::uint32_t units, extents const& array) {
  try {
    map.of({{0, units}, units, array});
  } catch (bad_argument const& refusal) { return refusal.what(); }
  return "nothing";
}

region box_of(index_range slowest, index_range rows_or_columns, index_range columns) {
  return box{{slowest, rows_or_columns, columns}};
}

TEST(access_map, one_to_one_shares_the_flattened_elements_equally) {
  EXPECT_EQ(touched_by(one_to_one, {1, 2}, 4, {2, 10}), region({{5, 15}}));
  EXPECT_EQ(touched_by(one_to_one, {0, 4}, 4, {2, 10}), region({{0, 20}}));
}

TEST(access_map, one_to_one_with_a_count_clips_the_last_unit) {
  EXPECT_EQ(touched_by(one_to_one(256), {3, 1}, 4, {1000}), region({{768, 1000}}));
  EXPECT_EQ(touched_by(one_to_one(256), {1, 2}, 4, {1000}), region({{256, 768}}));
}

TEST(access_map, rows_are_indices_of_the_slowest_dimension) {
  EXPECT_EQ(touched_by(rows, {1, 1}, 3, {6, 5}), box_of({0, 1}, {2, 4}, {0, 5}));
  EXPECT_EQ(touched_by(rows, {1, 2}, 3, {3, 5, 2}), box_of({1, 3}, {0, 5}, {0, 2}));
  EXPECT_EQ(touched_by(rows(4), {1, 1}, 2, {7, 5}), box_of({0, 1}, {4, 7}, {0, 5}));
  EXPECT_EQ(touched_by(rows, {2, 1}, 3, {6}), box_of({0, 1}, {0, 1}, {4, 6}));
}

TEST(access_map, neighborhood_adds_rows_on_either_side_within_the_array) {
  EXPECT_EQ(touched_by(neighborhood(2), {1, 1}, 3, {12, 5}), box_of({0, 1}, {2, 10}, {0, 5}));
  EXPECT_EQ(touched_by(neighborhood(2), {0, 1}, 3, {12, 5}), box_of({0, 1}, {0, 6}, {0, 5}));
  EXPECT_EQ(touched_by(neighborhood(99), {2, 1}, 3, {12, 5}), box_of({0, 1}, {0, 12}, {0, 5}));
  EXPECT_EQ(touched_by(neighborhood(1, 5), {1, 1}, 3, {12, 5}), box_of({0, 1}, {4, 11}, {0, 5}));
}

TEST(access_map, slice_cuts_the_dimension_that_it_names) {
  EXPECT_EQ(touched_by(slice(1), {1, 1}, 2, {3, 8}), box_of({0, 1}, {0, 3}, {4, 8}));
  EXPECT_EQ(touched_by(slice(0), {1, 1}, 2, {4, 8}), touched_by(rows, {1, 1}, 2, {4, 8}));
  EXPECT_EQ(touched_by(slice(2, 3), {2, 1}, 3, {2, 2, 7}), box_of({0, 2}, {0, 2}, {6, 7}));
}

TEST(access_map, all_is_the_whole_array_for_each_part) {
  EXPECT_EQ(touched_by(all, {1, 1}, 7, {3, 5}), region(whole({3, 5})));
}

TEST(access_map, touches_nothing_for_a_part_without_units) {
  for (access_map const& map : {access_map(one_to_one), access_map(rows), neighborhood(3), access_map(all)})
    EXPECT_EQ(touched_by(map, {2, 0}, 3, {9}), region()) << map.name();
  EXPECT_EQ(touched_by(rows, {0, 0}, 0, {9}), region());
}

TEST(access_map, of_an_array_without_elements_touches_none) {
  for (access_map const& map : {access_map(one_to_one), access_map(rows), neighborhood(3), access_map(all)}) {
    auto const touched = touched_by(map, {1, 2}, 3, {0, 4});
    EXPECT_TRUE(byte_runs(touched, {0, 4}, 1).is_empty()) << map.name();
  }
}

TEST(access_map, refuses_units_that_do_not_divide_and_says_how_to_write_it) {
  EXPECT_EQ(
      refusal_of(one_to_one, 3, {10}),
      "map is one_to_one of 10 indices for 3 units; legal is units that divide them, or the same map with "
      "how many a unit has");
  EXPECT_THAT(refusal_of(rows, 4, {6, 5}), HasSubstr("rows of 6 indices for 4 units"));
}

TEST(access_map, refuses_units_that_are_not_what_its_count_makes) {
  EXPECT_EQ(refusal_of(one_to_one(256), 3, {1000}),
            "map is one_to_one(256) of 1000 indices for 3 units; legal is 4 units");
  EXPECT_THAT(refusal_of(neighborhood(1, 2), 2, {6, 5}),
              HasSubstr("neighborhood(1, 2) of 6 indices for 2 units"));
  EXPECT_THAT(refusal_of(slice(1, 2), 4, {6, 5}), HasSubstr("legal is 3 units"));
}

TEST(access_map, refuses_a_dimension_that_the_array_has_not) {
  EXPECT_EQ(refused_argument([] { slice(3); }), "dimension");
  EXPECT_EQ(refused_argument([] { slice(-1, 2); }), "dimension");
  EXPECT_THAT(refusal_of(slice(1), 2, {6}), HasSubstr("slice(1) of an array of 1 dimension; legal"));
}

TEST(access_map, refuses_units_of_nothing) {
  EXPECT_EQ(refused_argument([] { one_to_one(0); }), "elements_per_unit");
  EXPECT_EQ(refused_argument([] { rows(0); }), "rows_per_unit");
  EXPECT_EQ(refused_argument([] { neighborhood(1, 0); }), "rows_per_unit");
  EXPECT_EQ(refused_argument([] { slice(0, 0); }), "per_unit");
}

TEST(access_map, refuses_a_part_beyond_the_units) {
  EXPECT_EQ(refused_argument([] { touched_by(all, {2, 2}, 3, {9}); }), "part");
  EXPECT_EQ(refused_argument([] { touched_by(all, {4294967295u, 2}, 3, {9}); }), "part");
}

TEST(access_map, calls_the_users_function_with_part_units_and_array) {
  access_map const reversed([](map_view const& view) {
    auto const end = view.units - view.part.first;
    return region({{end - view.part.count, end}});
  });
  EXPECT_EQ(touched_by(reversed, {1, 2}, 9, {9}), region({{6, 8}}));
}

TEST(access_map, refuses_a_users_region_beyond_the_array) {
  access_map const ranges([](map_view const&) { return region({{0, 2}, {7, 10}}); });
  EXPECT_EQ(refusal_of(ranges, 1, {9}),
            "map is a function with indices 7 to 10; legal is within the 9 of the flattened array");
  access_map const sides([](map_view const&) { return box_of({0, 1}, {0, 3}, {0, 6}); });
  EXPECT_THAT(refusal_of(sides, 1, {3, 5}), HasSubstr("indices 0 to 6; legal is within the 5 of a side"));
}

TEST(access_map, takes_an_empty_range_wherever_it_lies) {
  access_map const beyond([](map_view const&) { return region({{20, 20}, {30, 25}}); });
  EXPECT_EQ(refusal_of(beyond, 1, {9}), "nothing");
}

TEST(access_map, takes_a_box_with_an_empty_side_however_long_the_others_are) {
  access_map const beyond([](map_view const&) { return box_of({0, 1}, {2, 2}, {0, 6}); });
  EXPECT_EQ(refusal_of(beyond, 1, {3, 5}), "nothing");
}

TEST(access_map, tells_whether_units_meet) {
  EXPECT_EQ(access_map(one_to_one).overlap(), unit_overlap::never);
  EXPECT_EQ(slice(1, 2).overlap(), unit_overlap::never);
  EXPECT_EQ(neighborhood(0).overlap(), unit_overlap::never);
  EXPECT_EQ(neighborhood(1).overlap(), unit_overlap::always);
  EXPECT_EQ(access_map(all).overlap(), unit_overlap::always);
  EXPECT_EQ(access_map([](map_view const&) { return region(); }).overlap(), unit_overlap::unknown);
}

TEST(access_map, covers_with_a_part_what_it_covers_with_the_units_in_it) {
  for (access_map const& map : {one_to_one(3), rows(2), neighborhood(1, 2), slice(1, 2), access_map(all)}) {
    extents const array{6, 6};
    std::uint32_t const units = map.name() == "one_to_one(3)" ? 12 : 3;
    auto const part = byte_runs(touched_by(map, {1, 2}, units, array), array, 1);
    for (std::uint32_t unit = 1; unit < 3; ++unit)
      byte_runs(touched_by(map, {unit, 1}, units, array), array, 1).for_each_interval([&](byte_range bytes) {
        EXPECT_EQ(part.intersect(bytes).bytes(), bytes.size()) << map.name();
      });
  }
}

}  // namespace
}  // namespace ballast::test
