// SPDX-License-Identifier: Apache-2.0
// What holds for every method of task_pool and for workers of every size.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/device.hpp"
#include "is_deep_run.hpp"
#include "pool_device.hpp"
#include "sanitized.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// How many nodes a run takes here: fewer on cores unless at length, fewer still where every access is
/// checked, and as BALLAST_TEST_TASKS says (from 100 on).
std::uint32_t tasks_of_a_run() {
  auto const usual = sanitized ? "20000" : device()->is_cuda() || is_deep_run() ? "1000000" : "200000";
  return std::uint32_t(std::stoul(environment("BALLAST_TEST_TASKS").value_or(usual)));
}

struct contract_case {
  std::string method;
  int threads;
  std::size_t devices = 1;
};

std::vector<contract_case> all_cases() {
  std::vector<contract_case> cases;
  for (auto const& method : pool_methods())
    for (int const threads : {64, 32, 1}) cases.push_back({std::string(method.name), threads});
  for (std::size_t const several : {2, 3})
    for (int const threads : {64, 32, 1}) cases.push_back({"chunks", threads, several});
  return cases;
}

std::string name_of(testing::TestParamInfo<contract_case> const& info) {
  auto name = info.param.method + "_by_" + std::to_string(info.param.threads);
  if (info.param.devices > 1) name += "_on_" + std::to_string(info.param.devices) + "_devices";
  std::ranges::replace(name, '-', '_');
  return name;
}

class pool_contract : public testing::TestWithParam<contract_case> {
 protected:
  /// Fewer where one lock lets one of a GPU's workers in at a time.
  std::uint32_t const many_ =
      device()->is_cuda() && GetParam().method == "blocking" ? tasks_of_a_run() / 10 : tasks_of_a_run();

  bool is_static() const { return GetParam().method.starts_with("static"); }

  kernel_set const& kernels() const {
    if (GetParam().threads == 1) return tree_kernels_of_threads();
    return GetParam().threads == 32 ? tree_kernels_of_warps() : tree_kernels_of_blocks();
  }
  task_pool make_pool(std::uint32_t capacity = 1024) const {
    return task_pool(pool_devices(GetParam().devices), kernels(), pool_by(GetParam().method, capacity));
  }
  /// Thousands of a GPU's workers that find nothing are in the way of the one that works.
  task_pool make_pool_for_chain() const {
    auto options = pool_by(GetParam().method);
    if (device()->is_cuda() && options.resident.blocks == 0) options.resident.blocks = 64;
    return task_pool(pool_devices(GetParam().devices), kernels(), options);
  }

  /// Words for nodes 0 .. nodes - 1, all zero.
  void prepare(std::uint32_t nodes) {
    times_ = device_buffer<std::uint32_t>(device(), nodes);
    stream_->fill(times_.data(), 0, times_.bytes());
    stream_->synchronize();
  }
  task node(std::uint32_t number, std::uint32_t nodes, tree_shape shape) const {
    if (GetParam().threads == 1) return task(tree_node<1>{times(), number, nodes, shape});
    if (GetParam().threads == 32) return task(tree_node<32>{times(), number, nodes, shape});
    return task(tree_node<64>{times(), number, nodes, shape});
  }
  task wide(std::uint32_t blocks) const {
    if (GetParam().threads == 1) return task(wide_root<1>{times()}, {0, blocks});
    if (GetParam().threads == 32) return task(wide_root<32>{times()}, {0, blocks});
    return task(wide_root<64>{times()}, {0, blocks});
  }
  task sowing(std::uint32_t blocks) const {
    if (GetParam().threads == 1) return task(sower<1>{{times()}, blocks});
    if (GetParam().threads == 32) return task(sower<32>{{times()}, blocks});
    return task(sower<64>{{times()}, blocks});
  }

  std::vector<std::uint32_t> times_run() {
    std::vector<std::uint32_t> copy(times_.size());
    stream_->copy(copy.data(), times_.data(), times_.bytes());
    stream_->synchronize();
    return copy;
  }

  /// The nodes of the tree under node 0, each once.
  static std::vector<std::uint32_t> reachable(std::uint32_t nodes, tree_shape shape) {
    if (shape != tree_shape::random) return std::vector<std::uint32_t>(nodes, 1);
    std::vector<std::uint32_t> found(nodes, 0), waiting{0};
    while (!waiting.empty()) {
      auto const number = waiting.back();
      waiting.pop_back();
      found[number] = 1;
      for (std::uint32_t i = 0; i < 4; ++i)
        if ((number == 0 || mixed(number) % 5 > i) && 4 * number + 1 + i < nodes)
          waiting.push_back(4 * number + 1 + i);
    }
    return found;
  }

  static void expect_sums_hold(pool_statistics const& statistics, std::uint64_t tasks) {
    EXPECT_EQ(statistics.created, tasks);
    EXPECT_EQ(statistics.run, tasks);
    EXPECT_LE(statistics.steals_won, statistics.steals_tried);
    std::uint64_t run = 0, tried = 0, won = 0;
    for (auto const& worker : statistics.workers) {
      run += worker.run;
      tried += worker.steals_tried;
      won += worker.steals_won;
    }
    EXPECT_EQ(run, statistics.run);
    EXPECT_EQ(tried, statistics.steals_tried);
    EXPECT_EQ(won, statistics.steals_won);
  }

  /// Runs the tree under node 0 and looks whether each node was run once.
  pool_statistics expect_once(task_pool& pool, std::uint32_t nodes, tree_shape shape) {
    prepare(nodes);
    auto const statistics = pool.run(node(0, nodes, shape));
    auto const expected = reachable(nodes, shape);
    EXPECT_TRUE(times_run() == expected);
    expect_sums_hold(statistics, std::uint64_t(std::accumulate(expected.begin(), expected.end(), 0)));
    expect_reduced(statistics, expected);
    return statistics;
  }

  /// What the nodes that were run say of themselves.
  static void expect_reduced(pool_statistics const& statistics, std::vector<std::uint32_t> const& times_run) {
    std::uint64_t sum = 0, max = 0;
    for (std::uint64_t node = 0; node < times_run.size(); ++node) {
      sum += 2 * (node + 1) * times_run[node];
      if (times_run[node] != 0) max = node + 1;
    }
    EXPECT_EQ(statistics.sum, sum);
    EXPECT_EQ(statistics.max, max);
  }

  array_ref<std::uint32_t> times() const { return array_ref<std::uint32_t>(times_.data()); }

  device_buffer<std::uint32_t> times_;
  std::unique_ptr<stream> stream_ = device()->make_stream();
};

TEST_P(pool_contract, has_nothing_to_do_without_a_task) {
  auto pool = make_pool();
  expect_sums_hold(pool.run(std::span<task const>()), 0);
}

TEST_P(pool_contract, runs_a_single_task_once) {
  auto pool = make_pool();
  expect_once(pool, 1, tree_shape::chain);
}

TEST_P(pool_contract, runs_each_task_of_a_chain_once) {
  auto pool = make_pool_for_chain();
  expect_once(pool, is_static() ? std::min(many_, 10'000u) : many_, tree_shape::chain);
}

TEST_P(pool_contract, runs_each_task_of_a_comb_once) {
  auto pool = make_pool();
  expect_once(pool, is_static() ? std::min(many_, 9'999u) : many_ / 4 * 2 + 1, tree_shape::comb);
}

TEST_P(pool_contract, keeps_as_many_tasks_as_its_capacity_says_without_the_host) {
  auto options = pool_by(GetParam().method, std::bit_ceil(many_));
  options.resident.blocks = device()->is_cuda() ? 2 : 1;
  task_pool pool(pool_devices(GetParam().devices), kernels(), options);
  std::uint32_t const nodes = is_static() ? 9'999 : many_ / 4 * 2 + 1;
  prepare(nodes);
  auto const statistics = pool.run(node(0, nodes, tree_shape::comb));
  EXPECT_EQ(statistics.spilled, 0u);
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(nodes, 1));
}

TEST_P(pool_contract, runs_each_task_of_a_binary_tree_once) {
  auto pool = make_pool();
  expect_once(pool, many_, tree_shape::binary);
}

TEST_P(pool_contract, runs_each_task_of_a_random_tree_once_and_again) {
  auto pool = make_pool();
  for (int times = 0; times < 3; ++times) expect_once(pool, many_, tree_shape::random);
}

TEST_P(pool_contract, runs_every_block_of_a_wide_root_and_each_of_their_children_once) {
  std::uint32_t const blocks = many_ / 10;
  prepare(blocks + 1);
  auto pool = make_pool();
  auto const statistics = pool.run(wide(blocks));
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(blocks + 1, 1));
  expect_sums_hold(statistics, blocks + 1);
}

TEST_P(pool_contract, runs_every_block_of_a_wide_task_that_a_task_created_and_each_of_their_children_once) {
  std::uint32_t const blocks = many_ / 100;
  prepare(blocks + 1);
  auto pool = make_pool();
  auto const statistics = pool.run(sowing(blocks));
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(blocks + 1, 1));
  expect_sums_hold(statistics, blocks + 2);
}

TEST_P(pool_contract, runs_many_roots_once_each) {
  std::uint32_t const roots = many_ / 10;
  prepare(roots);
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < roots; ++i) tasks.push_back(node(i, 0, tree_shape::chain));
  auto pool = make_pool(64);
  expect_sums_hold(pool.run(tasks), roots);
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(roots, 1));
}

TEST_P(pool_contract, runs_few_roots_and_many_in_turn_once_each) {
  auto pool = make_pool();
  for (std::uint32_t const roots : {1u, max_inline_tasks - 1, max_inline_tasks, max_inline_tasks + 1, 200u,
                                    2u, 0u, max_inline_tasks + 2, max_inline_tasks}) {
    prepare(roots + 1);
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < roots; ++i) tasks.push_back(node(i, 0, tree_shape::chain));
    expect_sums_hold(pool.run(tasks), roots);
    auto expected = std::vector<std::uint32_t>(roots, 1);
    expected.push_back(0);
    EXPECT_TRUE(times_run() == expected) << roots;
  }
}

// Each time a worker has no room the host takes all tasks back and starts the kernel again. `ring` and
// `blocking`, which take the oldest task first, come to that every few hundred tasks, and take longest here.
TEST_P(pool_contract, loses_no_task_of_a_large_tree_though_it_has_room_for_eight) {
  auto pool = make_pool(8);
  expect_once(pool, many_, tree_shape::binary);
  expect_once(pool, many_, tree_shape::random);
  prepare(many_ / 10 + 1);
  pool.run(wide(many_ / 10));
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(many_ / 10 + 1, 1));
}

TEST_P(pool_contract, hands_back_at_its_deadline_what_it_has_not_run) {
  prepare(many_);
  auto pool = make_pool();
  try {
    pool.run(std::vector<task>{node(0, many_, tree_shape::binary)}, deadline::in(clock::duration(0)));
  } catch (pool_stopped const& stopped) {
    EXPECT_EQ(stopped.statistics().created, stopped.statistics().run + stopped.unexecuted().size());
    expect_reduced(stopped.statistics(), times_run());
    pool.run(stopped.unexecuted());
  }
  EXPECT_TRUE(times_run() == std::vector<std::uint32_t>(many_, 1));
}

INSTANTIATE_TEST_SUITE_P(methods, pool_contract, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace ballast::test
