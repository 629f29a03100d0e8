// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/pattern_kernels.cuh"
#include "queue/patterns.hpp"
#include "queue/spawning_kernels.cuh"

namespace ballast::bench {
namespace {

constexpr int long_tasks_last = 5;  ///< after P0 .. P4
constexpr std::uint32_t long_factor = 20, long_tasks = 64;

constexpr char const* grid_task_curve = "queue, spread";
constexpr char const* hinted_grid_task_curve = "queue, spread, cost hints";
constexpr char const* pool_curve = "queue with a pool, spread";

/// The work of every block of a pattern, on the device, and its results.
class uneven_grid {
 public:
  uneven_grid(session& now, int pattern, std::size_t blocks, std::uint32_t steps)
      : device_(now.first()),
        stream_(device_->make_stream()),
        steps_(device_, blocks),
        counts_(device_, blocks),
        results_(device_, blocks),
        host_(device_, blocks) {
    auto const active = active_blocks(pattern, blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      bool const is_long = pattern == long_tasks_last && i + long_tasks >= blocks;
      host_[i] = active[i] * steps * (is_long ? long_factor : 1);
      tasks_.emplace_back(kernel(), block_range{std::uint32_t(i), 1}, task_cost{host_[i]});
    }
    stream_->copy(steps_.data(), host_.data(), host_.bytes());
    stream_->fill(counts_.data(), 0, counts_.bytes());
    stream_->synchronize();
  }

  uneven_block kernel() const {
    return {array_ref<std::uint32_t const>(steps_.data()), array_ref<std::uint32_t>(counts_.data()),
            array_ref<std::uint32_t>(results_.data())};
  }
  /// One task per block, with its true cost.
  std::vector<task> const& tasks() const { return tasks_; }
  std::vector<task> tasks_without_costs() const {
    std::vector<task> plain;
    for (auto const& one : tasks_) plain.emplace_back(kernel(), one.range());
    return plain;
  }
  /// The grid as two grid tasks, the second for the last blocks; with their costs if `costs`.
  std::vector<task> grid_tasks(bool costs) const {
    auto const most = std::uint32_t(tasks_.size()) - long_tasks;
    return {grid_task(task(kernel(), {0, most}, task_cost{costs ? 1u : 0u})),
            grid_task(task(kernel(), {most, long_tasks}, task_cost{costs ? long_factor : 0u}))};
  }
  /// The whole grid as one launch: the hardware's scheduler assigns the blocks.
  double seconds_of_launch() {
    ++rounds_;
    return seconds_of([&] {
      launch(uneven_kernels(), *stream_, task(kernel(), {0, std::uint32_t(tasks_.size())}));
      stream_->synchronize();
    });
  }
  void count_round() { ++rounds_; }
  bool each_ran_once_a_round() {
    stream_->copy(host_.data(), counts_.data(), counts_.bytes());
    stream_->synchronize();
    return std::ranges::all_of(host_.span(), [&](auto count) { return count == rounds_; });
  }

 private:
  std::shared_ptr<compute_device> device_;
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> steps_, counts_, results_;
  pinned_buffer<std::uint32_t> host_;
  std::vector<task> tasks_;
  std::uint32_t rounds_ = 0;
};

double seconds_submitted(task_queue& queue, prepared_tasks const& tasks) {
  return seconds_of(
      [&] { queue.submit(tasks, 0, tasks.records().size(), deadline::in(std::chrono::minutes(1))).wait(); });
}

queue_options options_for(std::size_t blocks) {
  queue_options options;
  options.capacity = std::uint32_t(blocks);
  options.submission_rings = 1;
  options.resident.spared_multiprocessors = 0;
  options.start_at_once = false;
  return options;
}

void measure_pattern(session& now, int pattern, std::size_t blocks, std::uint32_t steps) {
  uneven_grid grid(now, pattern, blocks, steps);
  struct {
    char const* curve;
    prepared_tasks tasks;
  } const ways[] = {{grid_task_curve, {uneven_kernels(), grid.grid_tasks(false)}},
                    {hinted_grid_task_curve, {uneven_kernels(), grid.grid_tasks(true)}},
                    {"queue, a task each", {uneven_kernels(), grid.tasks_without_costs()}},
                    {"queue, a task each, cost hints", {uneven_kernels(), grid.tasks()}}};
  task_queue queue(now.first(), uneven_kernels(), options_for(blocks));
  task_queue with_pool(now.first(), uneven_kernels_with_pool(), options_for(blocks));
  now.measure("one launch", pattern, "s", [&] { return grid.seconds_of_launch(); });
  queue.start();
  for (auto const& way : ways)
    now.measure(way.curve, pattern, "s", [&] {
      grid.count_round();
      return seconds_submitted(queue, way.tasks);
    });
  queue.close();
  with_pool.start();
  prepared_tasks const grid_tasks(uneven_kernels_with_pool(), grid.grid_tasks(false));
  now.measure(pool_curve, pattern, "s", [&] {
    grid.count_round();
    return seconds_submitted(with_pool, grid_tasks);
  });
  with_pool.close();
  now.verify(grid.each_ran_once_a_round(), "every block of every round ran exactly once");
}

}  // namespace

void measure_uneven_grids(session& now) {
  now.axes("Uneven grids: P0 to P4, and (5) 64 long blocks at the end", "pattern", "seconds");
  bool const gpu = now.first()->is_cuda();
  std::size_t const blocks = now.size(gpu ? 65536 : 8192, 1024);
  std::uint32_t const steps = gpu ? 1500 : 10000;
  now.parameter("blocks", blocks);
  now.parameter("steps", steps);
  for (int pattern = 0; pattern <= long_tasks_last; ++pattern) {
    measure_pattern(now, pattern, blocks, steps);
    auto const name = pattern == long_tasks_last ? "long tasks last" : "P" + std::to_string(pattern);
    auto const launch = now.median_of("one launch", pattern);
    for (auto const* const curve : {grid_task_curve, hinted_grid_task_curve, pool_curve})
      now.derived(name + ": one launch over " + curve, launch / now.median_of(curve, pattern));
  }
}

}  // namespace ballast::bench
