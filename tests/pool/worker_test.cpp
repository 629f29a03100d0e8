// SPDX-License-Identifier: Apache-2.0
// Which worker runs a task: for every method, and for workers of every size.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "pool_device.hpp"
#include "sanitized.hpp"
#include "tree_kernels.cuh"
#include "worker_counts.hpp"

namespace ballast::test {
using namespace detail;
namespace {

struct worker_case {
  std::string method;
  int threads;
};

std::vector<worker_case> worker_cases() {
  std::vector<worker_case> cases;
  for (auto const& method : pool_methods())
    for (int const threads : {64, 32, 1}) cases.push_back({std::string(method.name), threads});
  return cases;
}

std::string name_of_worker_case(testing::TestParamInfo<worker_case> const& info) {
  auto name = info.param.method + "_by_" + std::to_string(info.param.threads);
  std::ranges::replace(name, '-', '_');
  return name;
}

class worker_of_a_pool : public testing::TestWithParam<worker_case> {
 protected:
  static constexpr std::uint32_t nodes = sanitized ? 5'000 : 50'000;

  /// How many workers a block is.
  static std::uint32_t each() { return device()->is_cuda() && GetParam().threads == 1 ? 32 : 1; }
  static bool has_block_per_task() { return GetParam().method == "static-per-task"; }

  static kernel_set const& kernels() {
    if (GetParam().threads == 1) return entered_kernels_of_threads();
    return GetParam().threads == 32 ? entered_kernels_of_warps() : entered_kernels_of_blocks();
  }
  static task tree(worker_counts const& counts, std::uint32_t of_nodes, block_range trees = {}) {
    if (GetParam().threads == 1) return task(entered_node<1>{counts.ledger(), 0, of_nodes}, trees);
    if (GetParam().threads == 32) return task(entered_node<32>{counts.ledger(), 0, of_nodes}, trees);
    return task(entered_node<64>{counts.ledger(), 0, of_nodes}, trees);
  }
  static task_pool make_pool(std::uint32_t capacity = 1024, int blocks = 0) {
    auto options = pool_by(GetParam().method, capacity);
    if (blocks != 0) options.resident.blocks = blocks;
    return task_pool(device(), kernels(), options);
  }
  /// Pages for all workers of a pool; with a block for each task, for those of a level of so many tasks.
  static worker_counts counts_for(task_pool const& pool, std::uint32_t tasks) {
    std::uint32_t const of_level = (tasks + each() - 1) / each() * each();
    return {device(), has_block_per_task() ? std::min(pool.workers(), of_level) : pool.workers()};
  }
  static void expect_told_of(task_pool const& pool, worker_counts const& counts) {
    if (!has_block_per_task()) return counts.expect_told(pool.workers());
    EXPECT_EQ(counts.facts().min_workers, each());  // the root's level
    EXPECT_LE(counts.facts().max_workers, pool.workers());
  }
};

TEST_P(worker_of_a_pool, counts_its_tasks_without_atomics_and_the_sum_is_exact) {
  auto pool = make_pool();
  auto const counts = counts_for(pool, nodes);
  for (std::uint64_t run = 1; run <= 3; ++run) {
    pool.run(tree(counts, nodes));
    counts.expect_entered(run * nodes);
  }
  expect_told_of(pool, counts);
}

TEST_P(worker_of_a_pool, keeps_its_index_below_the_number_of_workers_where_these_are_more_than_tasks) {
  auto pool = make_pool();
  auto const counts = counts_for(pool, 3);
  pool.run(tree(counts, 3));
  counts.expect_entered(3);
  expect_told_of(pool, counts);
}

TEST_P(worker_of_a_pool, has_index_0_if_it_is_the_only_one) {
  if (device()->is_cuda()) GTEST_SKIP() << "a GPU's pool has two blocks at least";
  auto pool = make_pool(1024, 1);
  auto const counts = counts_for(pool, 500);
  auto const statistics = pool.run(tree(counts, 500));
  EXPECT_EQ(statistics.workers.size(), 1u);
  counts.expect_entered(500);
  if (has_block_per_task()) return;
  EXPECT_EQ(pool.workers(), each());
  counts.expect_told(each());
  EXPECT_GT(counts.by_worker()[0], 0u);
}

TEST_P(worker_of_a_pool, keeps_its_counter_while_tasks_go_through_the_host) {
  auto pool = make_pool(8);
  std::uint32_t const few = nodes / 10;
  auto const counts = counts_for(pool, few);
  pool.run(tree(counts, few));
  counts.expect_entered(few);
  expect_told_of(pool, counts);
}

TEST_P(worker_of_a_pool, counts_each_block_of_a_task_of_many_blocks) {
  auto pool = make_pool();
  std::uint32_t const trees = 300, of_each = 7;
  auto const counts = counts_for(pool, trees * of_each);
  pool.run(tree(counts, of_each, {0, trees}));
  counts.expect_entered(trees * of_each);
}

TEST_P(worker_of_a_pool, is_told_of_by_block_in_the_statistics) {
  auto pool = make_pool();
  auto const blocks = pool.run(std::span<task const>()).workers.size();
  EXPECT_EQ(blocks * each(), has_block_per_task() ? each() : pool.workers());
}

// The grid of a launch: all of its blocks have different workers, so that each page has one task.
TEST_P(worker_of_a_pool, is_a_block_of_the_grid_in_an_ordinary_launch) {
  std::uint32_t const blocks = 200;
  worker_counts const counts(device(), blocks);
  auto const stream = device()->make_stream();
  auto const launched = GetParam().threads == 1    ? task(entered<1>{counts.ledger()}, {10, blocks})
                        : GetParam().threads == 32 ? task(entered<32>{counts.ledger()}, {10, blocks})
                                                   : task(entered<64>{counts.ledger()}, {10, blocks});
  launch(kernels(), *stream, launched);
  stream->synchronize();
  counts.expect_entered(blocks);
  counts.expect_told(blocks);
  EXPECT_EQ(counts.by_worker(), std::vector<std::uint64_t>(blocks, 1));
}

INSTANTIATE_TEST_SUITE_P(methods, worker_of_a_pool, testing::ValuesIn(worker_cases()), name_of_worker_case);

}  // namespace
}  // namespace ballast::test
