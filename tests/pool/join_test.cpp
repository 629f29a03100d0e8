// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for their children, for every method.

#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/device.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test::join_test {
using namespace detail;
namespace {

/// Fibonacci's numbers, and the tasks that they take here.
std::uint64_t number(std::uint32_t n) { return n < 2 ? n : number(n - 1) + number(n - 2); }
std::uint64_t tasks_for(std::uint32_t n) { return n < 2 ? 1 : 2 + tasks_for(n - 1) + tasks_for(n - 2); }

class pool_joins : public testing::TestWithParam<std::string_view> {
 protected:
  static pool_options options(std::uint32_t capacity, std::uint32_t joins) {
    return pool_by(GetParam(), capacity, joins);
  }
  template <int Threads>
  task root(std::uint32_t n) const {
    return task(fibonacci<Threads>{array_ref(answer_.data()), {}, n});
  }
  void expect_number(task_pool& pool, task const& root, std::uint32_t n) {
    answer_[0] = 0;
    auto const statistics = pool.run(root);
    EXPECT_EQ(answer_[0], number(n));
    EXPECT_EQ(statistics.created, tasks_for(n));
    EXPECT_EQ(statistics.run, tasks_for(n));
    EXPECT_EQ(statistics.joins, (tasks_for(n) - 1) / 3);
  }

  pinned_buffer<std::uint64_t> answer_{device(), 1};
};

TEST_P(pool_joins, run_a_continuation_when_the_last_child_has_finished) {
  task_pool blocks(device(), joining_kernels_of_blocks(), options(1024, 1 << 16));
  for (std::uint32_t const n : {0u, 1u, 2u, 3u, 20u}) expect_number(blocks, root<64>(n), n);
  task_pool threads(device(), joining_kernels_of_threads(), options(1024, 1 << 16));
  for (std::uint32_t const n : {0u, 1u, 2u, 3u, 20u}) expect_number(threads, root<1>(n), n);
}

TEST_P(pool_joins, outlive_the_spilling_of_their_tasks) {
  task_pool pool(device(), joining_kernels_of_blocks(), options(8, 1 << 16));
  for (int times = 0; times < 2; ++times) expect_number(pool, root<64>(15), 15);
}

TEST_P(pool_joins, wait_as_many_at_a_time_as_the_option_says) {
  task_pool pool(device(), joining_kernels_of_blocks(), options(1024, 5000));
  answer_[0] = 0;
  EXPECT_EQ(pool.run(task(nested{array_ref(answer_.data()), {}, 5001})).joins, 5000u);
  EXPECT_EQ(answer_[0], 1u);
}

TEST_P(pool_joins, that_find_no_record_end_the_run_with_an_error_that_says_so) {
  if (GetParam().starts_with("static")) GTEST_SKIP() << "static makes room for the joins of a level";
  auto few = options(1024, 4);
  if (device()->is_cuda()) few.resident.blocks = 16;
  task_pool pool(device(), joining_kernels_of_blocks(), few);
  try {
    pool.run(task(nested{array_ref(answer_.data()), {}, 10'001}));
    FAIL() << "10 000 joins wait where there is room for 4 and each worker's cache";
  } catch (pool_stopped const& stopped) {
    EXPECT_NE(std::string(stopped.what()).find("joins"), std::string::npos) << stopped.what();
    EXPECT_FALSE(stopped.unexecuted().empty());
  }
  EXPECT_EQ(pool.run(task(nested{array_ref(answer_.data()), {}, 4})).joins, 3u) << "its joins are forgotten";
}

TEST_P(pool_joins, go_on_when_the_tasks_that_a_deadline_left_are_run) {
  task_pool pool(device(), joining_kernels_of_blocks(), options(1024, 1 << 16));
  answer_[0] = 0;
  std::vector<task> left{root<64>(18)};
  int stops = 0;
  while (!left.empty() && stops < 10) {
    try {
      pool.run(left, deadline::in(std::chrono::microseconds(stops < 3 ? 0 : 10'000'000)));
      left.clear();
    } catch (pool_stopped const& stopped) {
      left = stopped.unexecuted();
      ++stops;
    }
  }
  EXPECT_EQ(answer_[0], number(18));
}

/// Which make room for the joins of each level, so that the option says how much there is at first only.
class joins_by_levels : public pool_joins {};

TEST_P(joins_by_levels, keep_their_places_when_there_has_to_be_more_room) {
  task_pool pool(device(), joining_kernels_of_blocks(), options(1024, 1));
  expect_number(pool, root<64>(20), 20);
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (auto const& method : pool_methods()) names.push_back(method.name);
  return names;
}

std::string name_of(testing::TestParamInfo<std::string_view> const& tested) {
  std::string name(tested.param);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(methods, pool_joins, testing::ValuesIn(method_names()), name_of);
INSTANTIATE_TEST_SUITE_P(methods, joins_by_levels, testing::Values("static", "static-per-task"), name_of);

}  // namespace
}  // namespace ballast::test::join_test
