// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for their children, for every method, and over several devices.

#include <gmock/gmock.h>
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

struct join_case {
  std::string method;
  std::size_t devices = 1;
};

class pool_joins : public testing::TestWithParam<join_case> {
 protected:
  static bool is_static() { return GetParam().method.starts_with("static"); }
  static pool_options options(std::uint32_t capacity, std::uint32_t joins) {
    return pool_by(GetParam().method, capacity, joins);
  }
  static task_pool pool_of_blocks(pool_options const& options) {
    return task_pool(pool_devices(GetParam().devices), joining_kernels_of_blocks(), options);
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

  pinned_buffer<std::uint64_t> answer_{device(),
                                       3};  ///< the first of one root, or each of a root on a device
};

TEST_P(pool_joins, run_a_continuation_when_the_last_child_has_finished) {
  auto blocks = pool_of_blocks(options(1024, 1 << 16));
  for (std::uint32_t const n : {0u, 1u, 2u, 3u, 20u}) expect_number(blocks, root<64>(n), n);
  if (GetParam().devices > 1) return;
  task_pool threads(device(), joining_kernels_of_threads(), options(1024, 1 << 16));
  for (std::uint32_t const n : {0u, 1u, 2u, 3u, 20u}) expect_number(threads, root<1>(n), n);
}

TEST_P(pool_joins, are_no_more_than_a_value_of_0_where_a_continuation_runs_without_one) {
  auto pool = pool_of_blocks(options(1024, 16));
  pinned_buffer<std::uint64_t> answers(device(), 100);
  std::vector<task> without_a_join;
  for (std::uint64_t& answer : answers.span()) {
    answer = 7;
    without_a_join.emplace_back(fibonacci_sum<64>{array_ref(&answer), {}, {}});
  }
  EXPECT_EQ(pool.run(without_a_join).joins, 0u);
  EXPECT_THAT(answers.span(), testing::Each(0u));
  expect_number(pool, root<64>(3), 3);
}

TEST_P(pool_joins, outlive_the_spilling_of_their_tasks) {
  auto pool = pool_of_blocks(options(8, 1 << 16));
  for (int times = 0; times < 2; ++times) expect_number(pool, root<64>(15), 15);
}

TEST_P(pool_joins, wait_as_many_at_a_time_as_the_option_says) {
  auto pool = pool_of_blocks(options(1024, 5000));
  answer_[0] = 0;
  EXPECT_EQ(pool.run(task(nested{array_ref(answer_.data()), {}, 5001})).joins, 5000u);
  EXPECT_EQ(answer_[0], 1u);
}

TEST_P(pool_joins, that_find_no_record_end_the_run_with_an_error_that_says_so) {
  if (is_static()) GTEST_SKIP() << "static makes room for the joins of a level";
  auto few = options(1024, 4);
  if (device()->is_cuda()) few.resident.blocks = 16;
  auto pool = pool_of_blocks(few);
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
  auto pool = pool_of_blocks(options(1024, 1 << 16));
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

TEST_P(pool_joins, run_each_task_once_through_stops_and_spills) {
  auto pool = pool_of_blocks(options(8, 1 << 16));
  for (int times = 0; times < 5; ++times) {
    answer_[0] = 0;
    std::vector<task> left{root<64>(16)};
    std::uint64_t run = 0, handed_back = 0, created = 0;
    for (int stops = 0; !left.empty(); ++stops) {
      auto const until = deadline::in(std::chrono::microseconds(stops < 20 ? 200 * stops : 60'000'000));
      pool_statistics statistics;
      try {
        statistics = pool.run(left, until);
        left.clear();
      } catch (pool_stopped const& stopped) {
        left = stopped.unexecuted();
        statistics = stopped.statistics();
        ASSERT_LT(stops, 20) << stopped.what();
      }
      run += statistics.run;
      created += statistics.created;
      handed_back += left.size();
    }
    EXPECT_EQ(answer_[0], number(16));
    EXPECT_EQ(run, tasks_for(16));
    EXPECT_EQ(created - handed_back, tasks_for(16));
  }
}

TEST_P(pool_joins, of_many_roots_give_each_its_own_answer) {
  constexpr std::uint32_t roots = 60;
  pinned_buffer<std::uint64_t> answers(device(), roots);
  auto pool = pool_of_blocks(options(8, 1 << 16));
  for (std::uint32_t times = 0; times < 3; ++times) {
    std::vector<task> all;
    for (std::uint32_t i = 0; i < roots; ++i)
      all.push_back(
          task(fibonacci<64>{array_ref(answers.data()).from(i), {}, mixed(roots * times + i) % 12}));
    pool.run(all);
    for (std::uint32_t i = 0; i < roots; ++i)
      EXPECT_EQ(answers[i], number(mixed(roots * times + i) % 12)) << times << " " << i;
  }
}

// A record that did not come back would be missed in some later run.
TEST_P(pool_joins, give_their_records_back_run_after_run) {
  bool const are_several = GetParam().devices > 1;
  auto pool = pool_of_blocks(options(1024, are_several ? 1 : 1 << 12));
  std::uint32_t const n = are_several ? 18 : 13;
  for (int times = 0; times < 60; ++times) expect_number(pool, root<64>(n), n);
}

TEST_P(pool_joins, are_forgotten_on_each_device_after_one_has_found_no_record) {
  if (is_static()) GTEST_SKIP() << "static makes room for the joins of a level";
  auto few = options(1024, 1);
  few.resident.blocks = device()->is_cuda() ? 2 : 1;
  auto pool = pool_of_blocks(few);
  auto const deep = [&](std::uint32_t n) {
    std::vector<task> roots;
    for (std::size_t i = 0; i < GetParam().devices; ++i)
      roots.push_back(task(nested{array_ref(answer_.data()).from(i), {}, n}));
    return roots;
  };
  for (int times = 0; times < 20; ++times) {
    EXPECT_THROW(pool.run(deep(10'001)), pool_stopped);
    EXPECT_EQ(pool.run(deep(90)).joins, 89 * GetParam().devices);
  }
}

/// Which make room for the joins of each level, so that the option says how much there is at first only.
class joins_by_levels : public pool_joins {};

TEST_P(joins_by_levels, keep_their_places_when_there_has_to_be_more_room) {
  auto pool = pool_of_blocks(options(1024, 1));
  expect_number(pool, root<64>(20), 20);
}

std::vector<join_case> all_cases() {
  std::vector<join_case> cases;
  for (auto const& method : pool_methods()) cases.push_back({std::string(method.name)});
  for (std::size_t const devices : {2, 3}) cases.push_back({"chunks", devices});
  return cases;
}

std::string name_of(testing::TestParamInfo<join_case> const& tested) {
  auto name = tested.param.method;
  if (tested.param.devices > 1) name += "_on_" + std::to_string(tested.param.devices) + "_devices";
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(methods, pool_joins, testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(methods, joins_by_levels,
                         testing::Values(join_case{"static"}, join_case{"static-per-task"}), name_of);

}  // namespace
}  // namespace ballast::test::join_test
