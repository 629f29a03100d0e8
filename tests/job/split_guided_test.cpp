// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "invented_devices.hpp"
#include "split/split_run.hpp"

namespace ballast::test {
using namespace detail;
namespace {

std::vector<invented_devices::placed_task> later_tasks(invented_devices devices) {
  auto const policy = make_split_policy("guided");
  for (int run = 0; run < 3; ++run) devices.run(*policy);
  return devices.placed();
}

TEST(guided_split, begins_with_half_of_the_share_of_a_device_and_ends_with_small_tasks) {
  auto const tasks = later_tasks({{{100e3}, {300e3}}, {1024}});
  EXPECT_NEAR(tasks.front().part.count, 1024 * 0.75 / 2, 4);
  EXPECT_LE(tasks.back().part.count, 2u);
  for (std::uint32_t const device : {0, 1}) {
    std::vector<std::uint32_t> sizes;
    for (auto const& task : tasks)
      if (task.device == device) sizes.push_back(task.part.count);
    EXPECT_TRUE(std::ranges::is_sorted(sizes, std::ranges::greater())) << "device " << device;
  }
}

TEST(guided_split, makes_no_task_shorter_than_50_us_but_the_last) {
  auto const tasks = later_tasks({{{1000}, {1000}}, {10000}});
  for (auto const& task : tasks) {
    auto const is_last = task.part.first + task.part.count == 10000;
    EXPECT_TRUE(is_last || task.part.count >= 45) << task.part.count << " units of 1 us";
  }
}

TEST(guided_split, takes_devices_of_unknown_speed_for_as_fast_as_the_mean_of_the_known_ones) {
  job_shape const shape{.units = 1024, .devices = {{}, {}, {}, {}}};
  auto const of_two_unknown = [&](std::uint32_t device) {
    return split_guided(shape, {3.0 / 4096, 0, 1.0 / 4096, 0}, false)->next(device, 0)->count;
  };
  EXPECT_EQ(of_two_unknown(0), 1024 * 3 / 8 / 2u);
  EXPECT_EQ(of_two_unknown(2), 1024 * 1 / 8 / 2u);
  EXPECT_EQ(of_two_unknown(1), 1024 / 4 / 2u);
}

}  // namespace
}  // namespace ballast::test
