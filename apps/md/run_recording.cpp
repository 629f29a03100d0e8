// SPDX-License-Identifier: Apache-2.0
#include "run_recording.hpp"

#include <utility>

#include "ballast/balanced_queue.hpp"
#include "harness/begin_record.hpp"
#include "run_report.hpp"

namespace ballast::md {
namespace {

void add_series(run_record& record, comparison const& result, solution_report const& one) {
  auto const name = std::string(name_of(one.which));
  record.series.push_back({name + ".seconds_per_step", "s", one.seconds_samples});
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    sample_series busy{name + ".busy_seconds." + result.devices[d], "s", {}};
    for (auto const& sample : one.busy_samples) busy.samples.push_back(sample[d]);
    record.series.push_back(std::move(busy));
  }
}

/// Who decides how much a device is given at once: for TQ a policy, for chen the size of its queues.
void add_feeding(run_record& record, comparison_plan const& plan, solution which) {
  if (which == solution::tq) record.policies.emplace_back("feed", plan.cut.feed);
  if (which == solution::chen) record.parameters.emplace_back("chen.queue_tasks", plan.cut.queue_tasks);
}

verification verify(comparison const& result) {
  return {result.identical && result.largest_difference < 1e-5,
          "forces of S1, S3, TQ and chen bitwise equal, of S2 within 1e-5 of the root mean square force"};
}

}  // namespace

run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started) {
  auto record = bench::begin_record("md/solutions", devices);
  record.started = std::move(started);
  record.parameters = {
      {"atoms", plan.from.state.size()}, {"steps", result.steps}, {"physics", physics_as_json(plan)}};
  record.repetitions = static_cast<std::size_t>(plan.repeat);
  for (auto const& one : result.solutions) {
    add_series(record, result, one);
    auto const name = std::string(name_of(one.which));
    record.parameters.emplace_back(name + ".pieces", one.pieces);
    add_feeding(record, plan, one.which);
    record.derived.emplace_back(name + ".speedup", one.speedup);
    record.derived.emplace_back(name + ".imbalance", one.imbalance);
  }
  record.answer = verify(result);
  return record;
}

}  // namespace ballast::md
