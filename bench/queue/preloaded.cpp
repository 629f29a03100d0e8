// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/gate.hpp"
#include "queue/spawning_kernels.cuh"

namespace ballast::bench {
namespace {

std::vector<int> preloaded_block_counts(session const& now) {
  int const cores = now.first()->properties().multiprocessors;
  if (now.quick()) return {16, 16 * cores};
  return {16, 120, 132, 264, 528, 1056, 16 * cores};
}

void measure_blocks(session& now, char const* curve, kernel_set const& kernels, int blocks,
                    std::size_t tasks) {
  counted_blocks counts(now.first(), tasks);
  gate door(now.first(), std::uint32_t(blocks));
  prepared_tasks const prepared(kernels, counts.all());
  queue_options options;
  options.capacity = std::uint32_t(tasks);
  options.submission_rings = 1;
  options.resident.blocks = blocks;
  options.resident.spared_multiprocessors = 0;
  task_queue queue(now.first(), kernels, options);
  std::uint32_t rounds = 0;
  now.measure(curve, blocks, "tasks/s", [&] {
    ++rounds;
    return double(tasks) / seconds_to_wait_all(queue, door, prepared, deadline::in(std::chrono::minutes(1)));
  });
  queue.close();
  now.verify(counts.each_ran(rounds), "every task of every round ran exactly once");
}

}  // namespace

void measure_preloaded(session& now) {
  now.axes("Tasks taken from a full ring", "resident blocks", "tasks/s", true, true);
  std::size_t const most = now.size(std::size_t(1) << 24, 1 << 16);
  now.repeat(1, now.quick() ? 3 : 5);
  now.parameter("tasks", most);
  for (int const blocks : preloaded_block_counts(now)) {
    auto const tasks = blocks >= 1000 ? most : std::min<std::size_t>(most, 1 << 20);
    measure_blocks(now, "queue", small_block_kernels(), blocks, tasks);
    measure_blocks(now, "queue with a pool", small_block_kernels_with_pool(), blocks, tasks);
  }
}

}  // namespace ballast::bench
