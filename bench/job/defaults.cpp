// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "harness/regret.hpp"
#include "job/benchmarks.hpp"
#include "job/empty_kernels.cuh"
#include "queue/pattern_kernels.cuh"

namespace ballast::bench {
namespace {

/// The microseconds of each unit of a repeated job.
struct unit_load {
  std::string name;
  std::function<double(double at, double step)> us;  ///< both from 0 to below 1
  bool changes = false;                              ///< from step to step
};

std::vector<unit_load> unit_loads() {
  auto const hill = [](double at, double step) {  // an eighth of the units is long, another one each time
    auto const behind = at - step + (at < step ? 1 : 0);
    return behind < 0.125 ? 100.0 : 5.0;
  };
  return {{"even, 20 us", [](double, double) { return 20.0; }},
          {"even, tiny", [](double, double) { return 0.0; }},
          {"longer and longer, to 40 us", [](double at, double) { return 40 * at; }},
          {"one of 2 ms first", [](double at, double) { return at == 0 ? 2000.0 : 5.0; }},
          {"the last eighth long", [](double at, double) { return at < 0.875 ? 5.0 : 100.0; }},
          {"a long eighth that moves", hill, true},
          {"longer with each step", [](double, double step) { return 5 + 30 * step; }, true}};
}

/// A job repeated again and again, by a scheduler that has learned nothing yet.
class repeated_job {
 public:
  repeated_job(device_list const& devices, std::string const& policy, std::uint32_t units)
      : first_(*devices.front()),
        units_(units),
        jobs_(devices, uneven_job_kernels(),
              {.policy = policy, .device_bytes = spare_bytes + 16 * std::uint64_t(units)}),
        steps_(jobs_, {units}),
        counts_(jobs_, {units}),
        results_(jobs_, {units}) {
    std::ranges::fill(counts_.write(), 0u);
  }

  double seconds(unit_load const& load, std::uint32_t repetitions) {
    double sum = 0;
    for (std::uint32_t step = 0; step < repetitions; ++step) {
      if (step == 0 || load.changes) set_costs(load, double(step) / repetitions);
      sum += seconds_of([&] { submit().wait(); });
    }
    return sum;
  }
  bool each_ran(std::uint32_t times) const {
    return std::ranges::all_of(counts_.read(), [&](auto count) { return count == times; });
  }

 private:
  static constexpr std::uint64_t spare_bytes = 1 << 20;  // each array may begin anywhere in a block

  void set_costs(unit_load const& load, double step) {
    auto const costs = steps_.write();
    for (std::uint32_t i = 0; i < units_; ++i)
      costs[i] = uneven_steps(first_, load.us(double(i) / units_, step));
  }
  completion submit() {
    return jobs_.submit({.grid = units_, .learning_key = 1}, reads(steps_, one_to_one),
                        updates(counts_, one_to_one), writes(results_, one_to_one),
                        [](auto steps, auto counts, auto results) {
                          return uneven_block{steps, counts, results};
                        });
  }

  compute_device const& first_;
  std::uint32_t units_;
  job_scheduler jobs_;
  shared_array<std::uint32_t> steps_, counts_, results_;
};

void measure_load(session& now, unit_load const& load, device_choice const& on, regrets& all) {
  auto const repetitions = std::uint32_t(now.size(16, 2));
  auto const units = uneven_blocks_at_once(on.devices) * std::uint32_t(now.size(128, 16));
  auto const by = [&, units, repetitions](std::string const& policy) {
    repeated_job job(on.devices, policy, units);
    auto const seconds = job.seconds(load, repetitions);
    now.verify(job.each_ran(repetitions), "every unit ran once in each job");
    return seconds;
  };
  all.measure(load.name + on.remark, rivals_of(job_options{}.policy, split_policies(), by), 0,
              now.size(9, 1));
}

}  // namespace

void measure_job_defaults(session& now) {
  now.axes("A job that is repeated 16 times over several devices, by how it is split", "", "seconds");
  regrets all(now);
  for (auto const& on : equal_and_unequal(now))
    for (auto const& load : unit_loads()) measure_load(now, load, on, all);
  all.derive();
}

}  // namespace ballast::bench
