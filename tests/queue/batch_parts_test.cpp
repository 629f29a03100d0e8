// SPDX-License-Identifier: Apache-2.0
#include "backlog.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

/// Each device takes `most[device]` at a time, in turn, until nothing is left: who got each task.
std::vector<int> deal(std::size_t tasks, std::size_t parts, std::vector<std::uint64_t> const& most) {
  batch_parts left(tasks, parts);
  std::vector<int> owner(tasks, -1);
  while (!left.empty())
    for (std::size_t device = 0; device < most.size(); ++device) {
      auto const got = left.take(device, most[device]);
      for (auto i = got.first; i < got.first + got.count; ++i) {
        EXPECT_EQ(owner[i], -1) << "task " << i << " was given away twice";
        owner[i] = int(device);
      }
    }
  return owner;
}

TEST(batch_parts, give_each_task_away_exactly_once) {
  for (std::size_t const tasks : {0, 1, 2, 7, 1000})
    for (std::size_t const parts : {1, 2, 3, 8}) {
      auto const owner = deal(tasks, parts, {3, 1, 7});
      for (auto const device : owner) EXPECT_GE(device, 0);
    }
}

TEST(batch_parts, of_equally_fast_devices_are_kept_by_them) {
  auto const owner = deal(12, 3, {1, 1, 1});
  EXPECT_EQ(owner, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(batch_parts, that_a_slow_device_leaves_go_to_others_from_the_end) {
  auto const owner = deal(12, 2, {5, 1});
  EXPECT_EQ(owner, (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}));
}

TEST(batch_parts, that_are_one_go_away_from_the_front) {
  EXPECT_EQ(deal(6, 1, {2, 1}), (std::vector<int>{0, 0, 1, 0, 0, 1}));
}

TEST(batch_parts, give_nothing_to_who_asks_for_none) {
  batch_parts left(4, 2);
  EXPECT_EQ(left.take(0, 0).count, 0u);
  EXPECT_FALSE(left.empty());
}

}  // namespace
}  // namespace ballast::test
