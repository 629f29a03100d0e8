// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "ballast/detail/launch/merge_policy.hpp"
#include "device/timed.hpp"
#include "launch/bare_cuda.hpp"
#include "launch/benchmarks.hpp"
#include "launch/chain_words.hpp"
#include "launch/levelled_kernels.cuh"
#include "report/statistics.hpp"

namespace ballast::bench {

using namespace detail;
namespace {

/// The numbers of blocks: on a GPU every fifth one up to 600, both sides of each step, and those of Table 1,
/// converted to this many multiprocessors.
std::vector<std::uint32_t> swept_levels(session const& now, std::uint32_t multiprocessors) {
  auto const most = now.first()->is_cuda() ? 600 : 10 * multiprocessors;
  std::set<std::uint32_t> all;
  for (std::uint32_t blocks = 1; blocks <= most; blocks += now.quick() ? 50 : 5) all.insert(blocks);
  for (std::uint32_t full = multiprocessors; full < most; full += multiprocessors)
    all.insert({full, full + 1});
  constexpr std::uint32_t of_the_paper = 30;
  for (std::uint32_t blocks = 15; blocks <= 115; blocks += 10)
    all.insert(std::max(1u, blocks * multiprocessors / of_the_paper));
  return {all.begin(), all.end()};
}

/// The least-squares line through the points.
struct fitted_line {
  double slope = 0, offset = 0;

  fitted_line(std::vector<double> const& x, std::vector<double> const& y) {
    double const n = double(x.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sx += x[i];
      sy += y[i];
      sxx += x[i] * x[i];
      sxy += x[i] * y[i];
    }
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    offset = (sy - slope * sx) / n;
  }
};

template <int Places>
class measured_levels {
 public:
  measured_levels(session& now, std::uint32_t steps)
      : now_(&now),
        steps_(steps),
        multiprocessors_(std::uint32_t(now.first()->properties().multiprocessors)),
        blocks_(swept_levels(now, multiprocessors_)),
        name_(std::to_string(Places) + " at a time"),
        words_(now.first(), blocks_.back()),
        on_(now.first()->make_stream()) {
    enter_device(*now.first());
    if (now.first()->is_cuda()) prefer_shared_memory(code_of<level_block<Places>>().cuda_function.identity());
    auto const fits = now.first()->resources(code_of<level_block<Places>>()).blocks_per_multiprocessor;
    now.verify(fits == Places, "as many blocks fit on a multiprocessor as the curve says");
  }

  void measure_all() {
    std::vector<double> levels, times;
    for (auto const blocks : blocks_) {
      measure(blocks);
      levels.push_back(double(level_of(blocks)));
      times.push_back(now_->median_of("time, " + name_, blocks));
    }
    fitted_line const line(levels, times);
    for (auto const blocks : blocks_)
      now_->add("time by the model, " + name_, blocks, "s",
                {line.offset + line.slope * double(level_of(blocks))});
    now_->derived("seconds of a level, " + name_, line.slope);
    now_->derived("levels of a start, " + name_, line.offset / line.slope);
  }

 private:
  std::uint64_t level_of(std::uint32_t blocks) const {
    return level_number(blocks, multiprocessor_count(multiprocessors_ * Places));
  }
  void measure(std::uint32_t blocks) {
    level_block<Places> const kernel{array_ref<std::uint32_t>(words_.of(0)), steps_};
    auto const repetitions = now_->record().repetitions;
    auto seconds = now_->samples(1, repetitions, [&] {
      return seconds_of([&] {
        start(*on_, blocks, kernel);
        on_->synchronize(soon());
      });
    });
    now_->verify(words_.counted(1 + repetitions, blocks), "every block ran exactly once in every launch");
    std::vector<double> rates;
    for (auto const one : seconds) rates.push_back(blocks / one);
    now_->add("time, " + name_, blocks, "s", std::move(seconds));
    now_->add("throughput, " + name_, blocks, "blocks/s", std::move(rates));
  }

  session* now_;
  std::uint32_t steps_, multiprocessors_;
  std::vector<std::uint32_t> blocks_;
  std::string name_;
  chain_words words_;
  std::unique_ptr<stream> on_;
};

}  // namespace

/// Figures 2 and 4 and Table 1 of the co-scheduling paper: from launch until the end is seen. The model is
/// the straight line of time over level that fits best.
void measure_levels(session& now) {
  now.axes("One launch of equal blocks", "blocks", "");
  auto const steps = std::uint32_t(now.size(10'000, 1000));
  now.parameter("multiply-adds of a thread", steps);
  now.parameter("threads of a block", level_block<1>::threads);
  measured_levels<1>(now, steps).measure_all();
  if (!now.first()->is_cuda()) return;  // a core runs one block at a time
  measured_levels<2>(now, steps).measure_all();
  measured_levels<4>(now, steps).measure_all();
}

}  // namespace ballast::bench
