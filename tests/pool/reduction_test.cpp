// SPDX-License-Identifier: Apache-2.0
// Tasks of a pool that reduce and scan, by workers of every size.

#include <gtest/gtest.h>

#include "pool_device.hpp"
#include "reduction_kernels.hpp"
#include "reduction_results.hpp"

namespace ballast::test {
namespace {

template <int Threads>
void expect_reduced_in_a_pool(kernel_set const& list) {
  reduction_results const results(device());
  task_pool pool(device(), list, pool_by("chunks"));
  pool.run(task(results.kernel<Threads>(), {0, reduced_cases}));
  results.expect_right();
}

TEST(reductions_in_a_pool, have_the_same_bits_whether_a_worker_is_a_block_or_a_warp) {
  expect_reduced_in_a_pool<64>(reducing_kernels_of_blocks());
  expect_reduced_in_a_pool<32>(reducing_kernels_of_warps());
}

TEST(reductions_in_a_pool, are_those_of_one_thread_where_each_lane_runs_a_task_of_its_own) {
  expect_reduced_in_a_pool<1>(reducing_kernels_of_threads());
}

TEST(reductions_in_a_pool, are_right_in_an_ordinary_launch_of_its_tasks) {
  reduction_results const by_block(device()), by_thread(device());
  auto const work = device()->make_stream();
  launch(reducing_kernels_of_blocks(), *work, task(by_block.kernel<64>(), {0, reduced_cases}));
  launch(reducing_kernels_of_threads(), *work, task(by_thread.kernel<1>(), {0, reduced_cases}));
  work->synchronize();
  by_block.expect_right();
  by_thread.expect_right();
}

}  // namespace
}  // namespace ballast::test
