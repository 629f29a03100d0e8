// SPDX-License-Identifier: Apache-2.0
#include "backlog.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

std::vector<std::size_t> equal_borders(std::size_t tasks, std::size_t parts) {
  return learned_costs().cut({0, tasks}, parts);
}

/// Each device takes `most[device]` at a time, in turn, until nothing is left: who got each task.
std::vector<int> deal(std::vector<std::size_t> const& borders, std::vector<std::uint64_t> const& most) {
  batch_parts left(borders);
  std::vector<int> owner(borders.back(), -1);
  while (!left.empty())
    for (std::size_t device = 0; device < most.size(); ++device) {
      auto const got = left.take(device, most[device]);
      for (auto i = got.first; i < got.end(); ++i) {
        EXPECT_EQ(owner[i], -1) << "task " << i << " was given away twice";
        owner[i] = int(device);
      }
    }
  return owner;
}

TEST(batch_parts, give_each_task_away_exactly_once) {
  for (std::size_t const tasks : {0, 1, 2, 7, 1000})
    for (std::size_t const parts : {1, 2, 3, 8}) {
      auto const owner = deal(equal_borders(tasks, parts), {3, 1, 7});
      for (auto const device : owner) EXPECT_GE(device, 0);
    }
}

TEST(batch_parts, of_equally_fast_devices_are_kept_by_them) {
  auto const owner = deal(equal_borders(12, 3), {1, 1, 1});
  EXPECT_EQ(owner, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(batch_parts, that_a_slow_neighbour_leaves_are_taken_from_the_border_on) {
  EXPECT_EQ(deal(equal_borders(12, 2), {5, 1}), (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(deal(equal_borders(12, 2), {1, 5}), (std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(batch_parts, of_a_slow_device_between_two_are_taken_from_both_borders) {
  EXPECT_EQ(deal({0, 2, 10, 12}, {2, 1, 2}), (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2}));
}

TEST(batch_parts, that_are_all_over_at_neighbours_are_taken_where_most_is_left_at_the_nearer_end) {
  batch_parts left({0, 1, 2, 5, 15, 16});
  EXPECT_EQ(left.take(0, 1).first, 0u);
  EXPECT_EQ(left.take(1, 1).first, 1u);
  auto const from_the_right = left.take(0, 2);
  EXPECT_EQ(from_the_right.first, 5u);
  EXPECT_EQ(from_the_right.count, 2u);
  EXPECT_EQ(left.take(4, 1).first, 15u);
  EXPECT_EQ(left.take(4, 3).first, 12u);
}

TEST(batch_parts, that_are_one_go_away_from_the_front) {
  EXPECT_EQ(deal({0, 6}, {2, 1}), (std::vector<int>{0, 0, 1, 0, 0, 1}));
}

TEST(batch_parts, that_are_left_are_told_in_order) {
  batch_parts left({0, 4, 10, 12});
  left.take(1, 2);
  std::size_t at = 0, tasks = 0;
  for (auto const& run : left.rest()) {
    EXPECT_GE(run.first, at);
    at = run.end();
    tasks += run.count;
  }
  EXPECT_EQ(at, 12u);
  EXPECT_EQ(tasks, 10u);
}

TEST(batch_parts, give_nothing_to_who_asks_for_none) {
  batch_parts left({0, 2, 4});
  EXPECT_EQ(left.take(0, 0).count, 0u);
  EXPECT_FALSE(left.empty());
}

}  // namespace
}  // namespace ballast::test
