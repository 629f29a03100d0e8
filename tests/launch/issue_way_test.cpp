// SPDX-License-Identifier: Apache-2.0
#include "issue_way.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace ballast::test {
namespace {

using enum issue_way;

/// A device on which a kernel takes so many ns by each way.
struct invented_ways {
  std::vector<issue_way> allowed{merged, one_by_one, by_producers};
  std::map<issue_way, std::int64_t> ns_of_kernel;
  way_chooser chooser{allowed};
  std::map<issue_way, int> windows = {};

  void run(int count) {
    for (int i = 0; i < count; ++i) {
      ++windows[chooser.now()];
      chooser.note(2000, 2000 * ns_of_kernel[chooser.now()], 0);
    }
  }
};

TEST(choosing_a_way, tries_each_twice_in_turn_and_takes_the_fastest) {
  invented_ways ways{.ns_of_kernel = {{merged, 3000}, {one_by_one, 2000}, {by_producers, 1000}}};
  for (auto const way : {merged, one_by_one, by_producers, merged, one_by_one, by_producers}) {
    EXPECT_EQ(ways.chooser.now(), way);
    ways.run(1);
  }
  EXPECT_EQ(ways.chooser.now(), by_producers);
  ways.run(30);
  EXPECT_EQ(ways.windows[by_producers], 32);
}

TEST(choosing_a_way, prefers_the_first_where_others_are_hardly_faster) {
  invented_ways ways{.ns_of_kernel = {{merged, 1040}, {one_by_one, 1000}, {by_producers, 1000}}};
  ways.run(1000);
  EXPECT_GT(ways.windows[merged], 900);
}

TEST(choosing_a_way, tries_slower_ones_again_the_seldomer_the_slower) {
  invented_ways ways{.ns_of_kernel = {{merged, 1000}, {one_by_one, 1200}, {by_producers, 8000}}};
  ways.run(10000);
  EXPECT_NEAR(ways.windows[one_by_one], 10000 / (32 * 1.44 + 1), 5);
  EXPECT_NEAR(ways.windows[by_producers], 2 + 10000 / (32 * 64), 1);
}

TEST(choosing_a_way, follows_when_another_becomes_the_fastest) {
  invented_ways ways{.ns_of_kernel = {{merged, 1000}, {one_by_one, 1500}, {by_producers, 1500}}};
  ways.run(500);
  ASSERT_EQ(ways.chooser.now(), merged);
  ways.ns_of_kernel[merged] = 2000;
  ways.run(200);
  EXPECT_NE(ways.chooser.now(), merged);
}

TEST(choosing_a_way, does_not_leave_the_best_because_all_kernels_became_longer) {
  invented_ways ways{.ns_of_kernel = {{merged, 1000}, {one_by_one, 1500}, {by_producers, 1500}}};
  ways.run(100);
  for (auto& [way, ns] : ways.ns_of_kernel) ns *= 5;
  auto const before = ways.windows[merged];
  ways.run(300);
  EXPECT_GT(ways.windows[merged] - before, 280);
}

TEST(choosing_a_way, takes_windows_of_enough_kernels_and_enough_time) {
  way_chooser chooser{std::vector{merged, one_by_one}};
  chooser.note(511, 10'000'000, 0);
  EXPECT_EQ(chooser.now(), merged);
  chooser.note(1, 0, 0);
  EXPECT_EQ(chooser.now(), one_by_one);
  chooser.note(10'000, 999'999, 0);
  EXPECT_EQ(chooser.now(), one_by_one);
  chooser.note(0, 1, 0);
  EXPECT_EQ(chooser.now(), merged);
}

TEST(choosing_a_way, does_not_count_what_still_went_the_way_before) {
  way_chooser chooser{std::vector{merged, one_by_one}};
  chooser.note(512, 1'000'000, 300);
  ASSERT_EQ(chooser.now(), one_by_one);
  chooser.note(299, 9'000'000, 0);
  chooser.note(1, 9'000'000, 0);
  chooser.note(511, 9'000'000, 0);
  EXPECT_EQ(chooser.now(), one_by_one);
  chooser.note(1, 0, 0);
  EXPECT_EQ(chooser.now(), merged);
}

TEST(choosing_a_way, stays_with_the_only_one) {
  way_chooser chooser{std::vector{one_by_one}};
  for (int i = 0; i < 100; ++i) chooser.note(1000, 1'000'000, 0);
  EXPECT_EQ(chooser.now(), one_by_one);
}

TEST(issue_ways, have_names) {
  EXPECT_EQ(name_of(merged), "merged");
  EXPECT_EQ(name_of(one_by_one), "one_by_one");
  EXPECT_EQ(name_of(by_producers), "by_producers");
}

}  // namespace
}  // namespace ballast::test
