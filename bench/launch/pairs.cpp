// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "launch/benchmarks.hpp"
#include "launch/block_costs.hpp"
#include "launch/draw_runner.hpp"
#include "launch/queue_counts.hpp"

namespace ballast::bench {
namespace {

std::vector<std::uint32_t> swept_pairs(session const& now, std::uint32_t multiprocessors) {
  std::uint32_t const most = now.first()->is_cuda() ? 600 : 10 * multiprocessors;
  std::uint32_t const apart = now.quick() ? most / 2 : std::max(1u, most / 60);
  std::vector<std::uint32_t> all;
  for (std::uint32_t blocks = 1; blocks <= most; blocks += apart) all.push_back(blocks);
  return all;
}

/// Curves for one cost of a start.
class measured_pairs {
 public:
  measured_pairs(session& now, draw_runner& runner, block_costs const& costs, double start_levels)
      : now_(&now),
        runner_(&runner),
        start_levels_(start_levels),
        steps_(steps_for(costs, start_levels)),
        block_seconds_(costs.step * steps_),
        set_(", at a start of " + std::string(start_levels < 1 ? "0.1" : "1")),
        multiprocessors_(std::uint32_t(now.first()->properties().multiprocessors)) {
    now.parameter("multiply-adds of a thread" + set_, steps_);
  }

  void measure(std::string const& way, std::vector<std::uint32_t> const& grids, launch_queue& queue,
               std::string const& merge) {
    auto const blocks = double(grids.front()) * double(grids.size()) / 2;
    kernel_draw const draw({steps_, false}, grids, runner_->words());
    now_->measure(way + set_, blocks, "s", [&] { return runner_->through(queue, draw); });
    auto const levels = draw.paper_levels(merge, multiprocessors_, start_levels_);
    now_->add(way + " by the model" + set_, blocks, "s", {levels * block_seconds_});
  }
  void record_queue_of(std::string const& way, launch_queue const& queue) {
    record_queue(*now_, way + set_, queue.statistics());
  }

 private:
  session* now_;
  draw_runner* runner_;
  double start_levels_;
  std::uint32_t steps_;
  double block_seconds_;
  std::string set_;
  multiprocessor_count multiprocessors_;
};

}  // namespace

/// Figures 5, 6, 8 and 9 of the co-scheduling paper: two equal kernels one after another, as one merged
/// launch, and one kernel with the blocks of both.
void measure_pairs(session& now) {
  now.axes("Two kernels of equal blocks", "blocks of each", "seconds");
  now.policy("order", "passthrough");
  now.parameter("streams of the queue", 1);
  auto const costs = measured_costs(now);
  auto const swept = swept_pairs(now, std::uint32_t(now.first()->properties().multiprocessors));
  draw_runner runner(now, 2, swept.back());
  for (double const start_levels : {0.1, 1.0}) {
    auto const series = make_merging_queue(now.first(), "none");
    auto const merging = make_merging_queue(now.first(), "together");
    measured_pairs pairs(now, runner, costs, start_levels);
    for (auto const blocks : swept) {
      pairs.measure("series", {blocks, blocks}, *series, "none");
      pairs.measure("merged", {blocks, blocks}, *merging, "together");
      pairs.measure("one kernel of both", {2 * blocks}, *series, "none");
    }
    pairs.record_queue_of("merged", *merging);
  }
}

}  // namespace ballast::bench
