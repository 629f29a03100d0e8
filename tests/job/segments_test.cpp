// SPDX-License-Identifier: Apache-2.0
#include "arrays/working_set.hpp"

#include <gtest/gtest.h>

#include "refused_argument.hpp"

namespace ballast::test::segments_test {
using namespace detail;
namespace {

constexpr std::size_t block = memory_alignment;
constexpr array_id a{1}, b{2};

TEST(segments, hold_bytes_that_lie_within_one_of_them) {
  segments all;
  auto const first = all.add(a, {100, 600}, {0, 3 * block});
  all.add(a, {600, 700}, {3 * block, 4 * block});
  ASSERT_NE(all.holding(a, {100, 600}), nullptr);
  EXPECT_EQ(all.holding(a, {200, 300})->id, first);
  EXPECT_EQ(all.holding(a, {500, 650}), nullptr);
  EXPECT_EQ(all.holding(b, {200, 300}), nullptr);
}

TEST(segments, keep_the_distance_of_their_bytes_from_an_aligned_address) {
  segments all;
  all.add(a, {block + 100, 600}, {7 * block, 9 * block});
  EXPECT_EQ(all.all()[0].offset_of(block + 100), 7 * block + 100);
  EXPECT_EQ(all.all()[0].offset_of(2 * block), 8 * block);
}

TEST(segments, tell_which_meet_some_bytes) {
  segments all;
  all.add(a, {0, 100}, {0, block});
  all.add(a, {100, 200}, {block, 2 * block});
  all.add(b, {0, 200}, {2 * block, 3 * block});
  EXPECT_EQ(all.overlapping(a, {99, 101}).size(), 2u);
  EXPECT_EQ(all.overlapping(a, {0, 100}).size(), 1u);
  EXPECT_EQ(all.overlapping(a, {200, 300}).size(), 0u);
  EXPECT_EQ(all.of(a).size(), 2u);
}

TEST(segments, leave_whole_blocks_over_when_they_are_cut_and_their_other_bytes_where_they_were) {
  segments all;
  auto const id = all.add(a, {100, 1000}, {block, 5 * block});
  auto const place = all.find(id)->offset_of(700);
  EXPECT_EQ(all.cut(id, {100, 600}), (byte_range{block, 3 * block}));
  EXPECT_EQ(all.find(id)->bytes, (byte_range{600, 1000}));
  EXPECT_EQ(all.find(id)->offset_of(700), place);
  EXPECT_EQ(all.cut(id, {800, 1000}), (byte_range{5 * block, 5 * block}));
  EXPECT_EQ(all.cut(id, {760, 800}), (byte_range{4 * block, 5 * block}));
  EXPECT_EQ(all.find(id)->offset_of(700), place);
  EXPECT_EQ(all.cut(id, {600, 760}), (byte_range{3 * block, 4 * block}));
  EXPECT_EQ(all.find(id), nullptr);
}

TEST(segments, refuse_bytes_that_are_there_and_cuts_in_the_middle) {
  segments all;
  auto const id = all.add(a, {100, 1000}, {0, 4 * block});
  EXPECT_EQ(refused_argument([&] { all.add(a, {999, 1001}, {4 * block, 6 * block}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { all.add(a, {5, 5}, {}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { all.cut(id, {200, 300}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { all.cut(id, {0, 300}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { all.remove(segment_id(7)); }), "segment");
  EXPECT_EQ(all.remove(id), (byte_range{0, 4 * block}));
  EXPECT_EQ(refused_argument([&] { all.cut(id, {100, 200}); }), "segment");
}

}  // namespace
}  // namespace ballast::test::segments_test
