// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/start_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "ballast/task.hpp"
#include "kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;

std::vector<task> tasks_of_cost(std::vector<std::uint32_t> const& costs) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < costs.size(); ++i)
    tasks.emplace_back(add{}, block_range{i, 1}, task_cost{costs[i]});
  return tasks;
}

/// An invented device: each worker takes the next task as soon as it is free; when the last one ends.
std::uint64_t end_on_invented_device(std::vector<std::uint32_t> const& costs,
                                     std::vector<std::size_t> const& order, std::size_t workers) {
  std::vector<std::uint64_t> free_at(workers, 0);
  for (auto const place : order) *std::ranges::min_element(free_at) += costs[place];
  return std::ranges::max(free_at);
}

TEST(start_order, puts_the_costlier_tasks_first_and_keeps_equal_ones_as_they_came) {
  EXPECT_THAT(start_order(tasks_of_cost({1, 9, 1, 5, 9, 0})), ElementsAre(1, 4, 3, 0, 2, 5));
}

TEST(start_order, is_the_given_order_where_no_cost_is_known) {
  EXPECT_THAT(start_order(tasks_of_cost({0, 0, 0})), ElementsAre(0, 1, 2));
  EXPECT_THAT(start_order({}), ElementsAre());
}

TEST(start_order, ends_an_invented_device_s_work_sooner_when_the_long_tasks_came_last) {
  std::vector<std::uint32_t> costs(100, 1);
  costs.back() = costs[98] = 40;
  std::vector<std::size_t> as_they_came(costs.size());
  std::iota(as_they_came.begin(), as_they_came.end(), std::size_t(0));
  EXPECT_EQ(end_on_invented_device(costs, as_they_came, 4), 24u + 40u);
  EXPECT_EQ(end_on_invented_device(costs, start_order(tasks_of_cost(costs)), 4), 45u);
}

TEST(prepared_tasks, travel_in_the_order_of_their_costs) {
  prepared_tasks const prepared(resident_test_kernels(), tasks_of_cost({1, 3, 2}));
  ASSERT_EQ(prepared.records().size(), 3u);
  EXPECT_EQ(prepared.records()[0].range().first, 1u);
  EXPECT_EQ(prepared.records()[1].range().first, 2u);
  EXPECT_EQ(prepared.records()[2].range().first, 0u);
}

}  // namespace
}  // namespace ballast::test
