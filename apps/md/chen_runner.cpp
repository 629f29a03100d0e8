// SPDX-License-Identifier: Apache-2.0
#include "chen_runner.hpp"

#include <chrono>

namespace ballast::md {
namespace {

chen_options options_for(granularity const& cut) {
  chen_options options;
  options.tasks_per_queue = cut.queue_tasks;
  options.timeout = device_timeout;
  options.times = true;
  options.resident.spared_multiprocessors = 0;  // nothing else computes in a step
  return options;
}

}  // namespace

chen_runner::chen_runner(device_list const& devices, stage const& system, granularity const& cut)
    : queue_(devices, system.kernels(), options_for(cut)), tasks_(prepare_tasks(devices, system, cut.task)) {}

force_timing chen_runner::forces(std::int64_t step) {
  step_ = step;
  auto const begin = clock::now();
  run_tasks(tasks_.forces, "chen forces");
  force_timing timing{std::chrono::nanoseconds(clock::now() - begin).count(), {}};
  for (auto const& share : queue_.last_step())
    timing.busy_ns.push_back(share.when.last_end_ns - share.when.first_begin_ns);
  return timing;
}

void chen_runner::run_tasks(std::shared_ptr<prepared_tasks const> const& tasks, char const* label) {
  queue_.submit(tasks);
  queue_.wait_all();
  if (spans_ != nullptr) record_last_step(label);
}

/// One span for a device: the queues do not trace their tasks.
void chen_runner::record_last_step(char const* label) {
  auto const shares = queue_.last_step();
  for (std::size_t d = 0; d < shares.size(); ++d) {
    auto const& [tasks, when] = shares[d];
    if (tasks > 0) spans_->record({d, 0, label, step_, tasks, when.first_begin_ns, when.last_end_ns});
  }
}

}  // namespace ballast::md
