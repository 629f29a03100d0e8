// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "ranks/benchmarks.hpp"
#include "ranks/place.hpp"

namespace ballast::bench {
namespace {

/// Equal naps of all workers.
struct nap_run {
  std::uint64_t slept_ns = 0;  ///< the sum of the naps' durations
  std::uint64_t naps = 0;
  double passed_ns = 0;
  std::uint64_t workers = 1;

  double efficiency() const { return double(slept_ns) / passed_ns / double(workers); }
  double mean_us() const { return double(slept_ns) / double(naps) / 1e3; }
};

constexpr std::uint64_t shortest_ns = 1'000, longest_ns = 50'000'000;

/// The mean duration in microseconds of the shortest naps with which the workers sleep half of the time: Task
/// Bench's minimum effective task granularity (Slaughter and others 2020). The longest naps, if none suffice.
double grain_us(std::function<nap_run(std::uint64_t ns)> const& sleep_all) {
  std::uint64_t low = shortest_ns, high = longest_ns;
  auto const at_low = sleep_all(low);
  if (at_low.efficiency() >= 0.5) return at_low.mean_us();
  double found_us = double(longest_ns) / 1e3;
  while (double(high) > 1.05 * double(low)) {
    auto const middle = std::uint64_t(std::sqrt(double(low) * double(high)));
    auto const run = sleep_all(middle);
    if (run.efficiency() < 0.5) {
      low = middle;
    } else {
      high = middle;
      found_us = run.mean_us();
    }
  }
  return found_us;
}

/// Naps that rank 0 submits at once.
nap_run sleep_apart(cluster_queue& queue, std::uint64_t ns, std::span<std::uint64_t> took_ns,
                    std::uint64_t workers) {
  std::vector<task> batch;
  for (auto& took : took_ns) batch.push_back(task(nap{ns, result_ref(&took)}));
  nap_run run{0, took_ns.size(), 0, workers};
  run.passed_ns = 1e9 * seconds_of([&] { queue.submit(batch).wait(); });
  for (auto const took : took_ns) run.slept_ns += took;
  return run;
}

/// Cells in a row, one for each worker of all ranks. All sleep in each step, once their neighbours have
/// finished the previous step.
class line_of_naps {
 public:
  line_of_naps(place const& at, std::uint64_t workers, mpi_process const& mpi)
      : mpi_(&mpi),
        workers_(workers),
        jobs_(*at.devices, line_kernels(),
              {.policy = "static", .device_bytes = 1 << 20, .ranks = job_peers_of(*at.ranks)}),
        now_(jobs_, {workers}),
        next_(jobs_, {workers}) {}

  /// Collective. Returns the same on all ranks.
  nap_run sleep(std::uint64_t ns, std::uint64_t steps) {
    std::ranges::fill(now_.write(), slept_cell{0, 0});
    mpi_->sum(0);
    std::uint64_t slept_ns = 0, complete = 0;
    auto const passed_s = seconds_of([&] {
      for (std::uint64_t i = 0; i < steps; ++i) step(ns);
      jobs_.wait_all();
    });
    for (auto const& cell : now_.read(own_elements)) {
      slept_ns += cell.ns;
      complete += cell.steps == steps ? 1 : 0;
    }
    is_right_ = is_right_ && mpi_->sum(complete) == workers_;
    auto const passed_ns = mpi_->sum(mpi_->rank() == 0 ? std::uint64_t(1e9 * passed_s) : 0);
    return {mpi_->sum(slept_ns), workers_ * steps, double(passed_ns), workers_};
  }
  /// True if each cell has waited for its neighbours in each step so far.
  bool is_right() const { return is_right_; }

 private:
  void step(std::uint64_t ns) {
    auto const cells = std::uint32_t(workers_);
    jobs_.submit({.grid = cells}, reads(now_, neighborhood(1)), writes(next_), [=](auto now, auto next) {
      return nap_in_line{now, next, cells, ns};
    });
    std::swap(now_, next_);
  }

  mpi_process const* mpi_;
  std::uint64_t workers_;
  job_scheduler jobs_;
  shared_array<slept_cell> now_, next_;
  bool is_right_ = true;
};

}  // namespace

void measure_grain(place const& at, mpi_process const& mpi) {
  auto const ranks = at.ranks->ranks();
  auto const all_workers = std::uint64_t(at.all_workers());
  std::string const name = "shortest naps at half of the time, ";
  with_queue(at, "lifeline", [&](cluster_queue& queue) {
    pinned_buffer<std::uint64_t> const took_ns(at.devices->front(), all_workers * (at.quick ? 20 : 200));
    at.now->add(name + "apart", double(ranks), "us", at.now->samples(0, at.quick ? 1 : 5, [&] {
      return grain_us([&](std::uint64_t ns) { return sleep_apart(queue, ns, took_ns.span(), all_workers); });
    }));
  });
  line_of_naps line(at, all_workers, mpi);
  std::vector<double> samples;
  for (int i = 0; i < (at.quick ? 1 : 5); ++i)
    samples.push_back(grain_us([&](std::uint64_t ns) { return line.sleep(ns, at.quick ? 10 : 100); }));
  if (at.now == nullptr) return;
  at.now->add(name + "in line with their neighbours", double(ranks), "us", std::move(samples));
  at.now->verify(line.is_right(), "each nap in line began after its neighbours' last ones");
}

}  // namespace ballast::bench
