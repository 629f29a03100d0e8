// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "ballast/detail/job/split_policy.hpp"

namespace ballast::test {

using namespace detail;
namespace {

using parts = std::vector<job_part>;

job_shape shape_of(std::uint32_t units, std::uint32_t tasks, std::size_t devices) {
  job_shape shape{units, tasks};
  shape.devices.resize(devices);
  return shape;
}

/// All that one device gets while the others ask for nothing.
parts taken_alone(job_shape const& shape) {
  auto const split = make_split_policy("master_worker")->begin(shape);
  parts taken;
  while (auto const part = split->next(0, 0)) taken.push_back(*part);
  return taken;
}

TEST(master_worker_split, makes_equal_tasks_the_larger_ones_first) {
  EXPECT_EQ(taken_alone(shape_of(10, 4, 2)), (parts{{0, 3}, {3, 3}, {6, 2}, {8, 2}}));
}

TEST(master_worker_split, keeps_the_borders_of_tasks_that_memory_cuts) {
  auto shape = shape_of(10, 2, 1);
  shape.devices[0].max_units = 3;
  EXPECT_EQ(taken_alone(shape), (parts{{0, 3}, {3, 2}, {5, 3}, {8, 2}}));
}

TEST(master_worker_split, gives_a_device_no_more_than_may_be_in_flight_as_others_may_want_it) {
  auto shape = shape_of(100, 10, 2);
  shape.in_flight = 3;
  auto const split = make_split_policy("master_worker")->begin(shape);
  for (std::uint32_t in_flight : {0, 1, 2}) EXPECT_TRUE(split->next(0, in_flight));
  EXPECT_FALSE(split->next(0, 3));
  EXPECT_TRUE(split->next(1, 2));
}

}  // namespace
}  // namespace ballast::test
