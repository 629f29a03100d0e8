// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "invented_devices.hpp"

namespace ballast::test {
namespace {

/// Runs jobs of 16 tasks on two devices of the same speed, until one of them changes.
class fixed_split : public testing::Test {
 protected:
  using task_map = std::map<std::uint32_t, std::uint32_t>;  ///< first unit of a task, device

  task_map run() {
    time_ = devices_.run(*policy_, 16);
    task_map map;
    for (auto const& task : devices_.placed()) map[task.part.first] = task.device;
    return map;
  }

  static std::size_t changed(task_map const& one, task_map const& other) {
    return std::size_t(
        std::ranges::count_if(one, [&](auto const& each) { return other.at(each.first) != each.second; }));
  }

  invented_devices devices_{{{1e6}, {1e6}}, {64}};
  std::unique_ptr<split_policy> policy_ = make_split_policy("fixed");
  double time_ = 0;
};

TEST_F(fixed_split, gives_each_task_again_to_the_device_that_had_it) {
  auto const first = run();
  EXPECT_EQ(first.size(), 16u);
  for (int repetition = 0; repetition < 10; ++repetition) EXPECT_EQ(run(), first);
}

TEST_F(fixed_split, moves_tasks_after_three_unbalanced_runs_in_a_row_and_not_before) {
  auto const first = run();
  devices_.slow_down(1, 3);
  for (int repetition = 0; repetition < 3; ++repetition) EXPECT_EQ(run(), first);
  auto const unbalanced = time_;
  EXPECT_EQ(changed(run(), first), 4u);  // from 8 and 8 to 12 and 4
  EXPECT_NEAR(time_, unbalanced / 2, 100e3);
}

TEST_F(fixed_split, forgets_an_unbalanced_run_after_a_balanced_one) {
  auto const first = run();
  for (int repetition = 0; repetition < 4; ++repetition) {
    devices_.slow_down(1, 3);
    run(), run();
    devices_.slow_down(1, 1 / 3.0);
    run();
  }
  EXPECT_EQ(run(), first);
}

TEST_F(fixed_split, moves_tasks_at_the_borders_of_runs_first) {
  invented_devices slow_then_fast({{3e6}, {1e6}, {1e6}}, {64});
  devices_ = slow_then_fast;
  auto const first = run();
  devices_.slow_down(0, 1 / 3.0);
  for (int repetition = 0; repetition < 3; ++repetition) run();
  for (auto const& [unit, device] : run())
    if (first.at(unit) != device) {
      auto const is_beside_its_device =
          (unit >= 4 && first.at(unit - 4) == device) || (unit + 4 < 64 && first.at(unit + 4) == device);
      EXPECT_TRUE(is_beside_its_device) << "unit " << unit;
    }
}

TEST_F(fixed_split, leaves_a_single_task_where_it_is) {
  for (int repetition = 0; repetition < 8; ++repetition) {
    devices_.run(*policy_, 1);
    ASSERT_EQ(devices_.placed().size(), 1u);
    EXPECT_EQ(devices_.placed()[0].device, 0u);
  }
}

}  // namespace
}  // namespace ballast::test
