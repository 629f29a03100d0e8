// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/spawning_kernels.cuh"

namespace ballast::bench {
namespace {

constexpr std::size_t roots_per_batch = 256;

std::vector<task> roots_of(counted_blocks const& counts, std::uint32_t nodes) {
  std::vector<task> roots;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    roots.emplace_back(count_tree{counts.words(), nodes}, block_range{i, 1});
  return roots;
}

void measure_trees_of(session& now, std::uint32_t nodes, std::size_t tasks) {
  counted_blocks counts(now.first(), std::max<std::size_t>(1, tasks / nodes));
  prepared_tasks const roots(small_block_kernels_with_pool(), roots_of(counts, nodes));
  queue_options options;
  options.capacity = 65536;
  if (now.first()->is_cuda()) options.resident.spared_multiprocessors = 0;
  task_queue queue(now.first(), small_block_kernels_with_pool(), options);
  std::uint32_t rounds = 0;
  now.measure("queue with a pool", nodes, "tasks/s", [&] {
    ++rounds;
    auto const until = deadline::in(std::chrono::minutes(1));
    return double(counts.size()) * nodes / seconds_of([&] {
             for (std::size_t i = 0; i < counts.size(); i += roots_per_batch)
               queue.submit(roots, i, std::min(roots_per_batch, counts.size() - i), until);
             queue.wait_all(until);
           });
  });
  queue.close();
  auto const pool = *queue.statistics().pool;
  now.verify(counts.each_ran(rounds * nodes) && pool.run == pool.created,
             "every node of every tree of every round ran exactly once");
}

}  // namespace

void measure_trees(session& now) {
  now.axes("Tasks of trees whose roots the host feeds, 256 in a batch", "nodes of a tree", "tasks/s", true,
           true);
  auto const tasks = now.size(now.first()->is_cuda() ? 1 << 22 : 1 << 19, 1 << 14);
  now.parameter("tasks", tasks);
  for (std::uint32_t nodes = 1; nodes <= tasks; nodes = 8 * nodes + 7) measure_trees_of(now, nodes, tasks);
}

}  // namespace ballast::bench
