// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_queue.hpp"
#include "device/timed.hpp"
#include "launch/benchmarks.hpp"
#include "launch/block_costs.hpp"
#include "launch/draw_runner.hpp"
#include "launch/queue_counts.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t first_seed = 20100;

/// The draws of one panel.
struct draw_set {
  std::uint32_t max_blocks;
  double start_levels;  ///< the cost of a start, in block times
  bool half_are_long;

  std::string name() const {
    return "up to " + std::to_string(max_blocks) + " blocks at a start of " +
           (start_levels < 1 ? "0.1" : "1") + (half_are_long ? " with half twice as long" : "");
  }
  double mean_block() const { return half_are_long ? 1.5 : 1; }
};

std::vector<draw_set> draw_sets(session const& now) {
  std::vector<draw_set> all;
  auto const grids = now.first()->is_cuda() ? std::vector{100u, 440u} : std::vector{7u};
  for (auto const max_blocks : grids)
    for (double const start_levels : {0.1, 1.0})
      for (bool const half_are_long : {false, true}) all.push_back({max_blocks, start_levels, half_are_long});
  if (now.quick()) all.resize(2);
  return all;
}

std::vector<std::size_t> numbers_of_kernels(session const& now) {
  if (now.quick()) return {2, 16};
  if (!now.first()->is_cuda()) return {2, 8, 32};
  return {2, 4, 8, 16, 32, 64, 128};
}

/// Curves of one set: seconds per kernel by the number of waiting kernels. Sample r always uses the same
/// draw.
class measured_set {
 public:
  measured_set(session& now, draw_runner& runner, draw_set const& set, block_costs const& costs)
      : now_(&now),
        runner_(&runner),
        set_(set),
        rule_{steps_for(costs, set.start_levels), set.half_are_long},
        block_seconds_(costs.step * rule_.steps * set.mean_block()) {
    now.parameter("multiply-adds of a thread, " + set.name(), rule_.steps);
  }

  void by_hand() {
    measure("series by hand", [&](auto const& draw) { return runner_->in_series(draw); });
    measure("64 streams by hand", [&](auto const& draw) { return runner_->on_streams(draw); });
    if (now_->first()->is_cuda())
      measure("graph by hand", [&](auto const& draw) { return runner_->as_graph(draw); });
  }
  void by_queue(std::string const& merge) {
    auto const queue = make_merging_queue(now_->first(), merge);
    measure(merge, [&](auto const& draw) { return runner_->through(*queue, draw); });
    record_queue(*now_, merge + ", " + set_.name(), queue->statistics());
    add_prediction(merge);
  }

 private:
  kernel_draw draw(std::size_t kernels, std::size_t sample) const {
    auto const grids = random_grids(kernels, set_.max_blocks, first_seed + std::uint32_t(sample));
    return {rule_, grids, runner_->words()};
  }

  void measure(std::string const& way, std::function<double(kernel_draw const&)> const& seconds) {
    for (auto const kernels : numbers_of_kernels(*now_)) {
      seconds(draw(kernels, 0));  // warms up
      std::size_t sample = 0;
      now_->add(way + ", " + set_.name(), double(kernels), "s",
                now_->samples(0, now_->record().repetitions,
                              [&] { return seconds(draw(kernels, sample++)) / double(kernels); }));
    }
  }

  /// Adds the prediction of the paper's model, with the measured costs of a start and of the mean block.
  void add_prediction(std::string const& merge) {
    multiprocessor_count const multiprocessors(std::uint32_t(now_->first()->properties().multiprocessors));
    auto const start_levels = set_.start_levels / set_.mean_block();
    for (auto const kernels : numbers_of_kernels(*now_)) {
      std::vector<double> predicted;
      for (std::size_t i = 0; i < now_->record().repetitions; ++i)
        predicted.push_back(draw(kernels, i).paper_levels(merge, multiprocessors, start_levels) *
                            block_seconds_ / double(kernels));
      now_->add(merge + " by the model, " + set_.name(), double(kernels), "s", std::move(predicted));
    }
  }

  session* now_;
  draw_runner* runner_;
  draw_set set_;
  draw_rule rule_;
  double block_seconds_;
};

}  // namespace

/// Figure 10 of the co-scheduling paper. A multiprocessor runs one block at a time; the length of the blocks
/// is chosen so that a start costs 0.1 or 1 of their times.
void measure_merging(session& now) {
  now.axes("Kernels that wait in a queue, by merging", "kernels", "seconds per kernel", true, true);
  now.policy("order", "passthrough");
  now.parameter("streams of the queue", 1);
  now.parameter("first seed of the draws, one for each sample", first_seed);
  auto const costs = measured_costs(now);
  auto const sets = draw_sets(now);
  draw_runner runner(now, numbers_of_kernels(now).back(), sets.back().max_blocks);
  for (auto const& set : sets) {
    measured_set measured(now, runner, set, costs);
    measured.by_hand();
    for (auto const& merge : merge_policies()) measured.by_queue(std::string(merge.name));
  }
}

}  // namespace ballast::bench
