// SPDX-License-Identifier: Apache-2.0
// The process sleeps (its clock jumps) between two levels of a pool: its deadline does not count that.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "jumping_clock.hpp"
#include "noting_resource.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
namespace {

TEST(slept_process, goes_on_with_the_next_level_of_a_pool) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  constexpr std::uint32_t nodes = 4095;
  auto const resource = std::make_shared<noting_resource>("host:1");
  auto const cores = open_devices("host:1", {.memory = resource}).front();
  device_buffer<std::uint32_t> times(cores, nodes);
  task_pool pool(cores, tree_kernels_of_blocks(), pool_by("static", 8));
  int sleeps = 0;
  resource->before_each = [&] {  // the next level needs more room
    if (++sleeps <= 3) clock_is_ahead_s += 7200;
  };
  task const root(tree_node<64>{array_ref(times.data()), 0, nodes, tree_shape::binary});
  EXPECT_EQ(pool.run(std::vector<task>{root}, deadline::in(std::chrono::minutes(10))).run, nodes);
  resource->before_each = {};
  EXPECT_GT(sleeps, 2) << "between levels";
}

TEST(slept_process, ends_a_run_of_levels_at_a_deadline_that_passed_while_it_was_awake) {
  task_pool pool(open_devices("host:1").front(), tree_kernels_of_blocks(), pool_by("static", 8));
  std::uint32_t word = 0;
  task const root(tree_node<64>{array_ref(&word), 0, 1, tree_shape::binary});
  EXPECT_THROW(pool.run(std::vector<task>{root}, deadline::in(clock::duration(0))), pool_stopped);
  EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace ballast::test
