// SPDX-License-Identifier: Apache-2.0
#include "queue_runner.hpp"

#include <algorithm>

namespace ballast::md {
namespace {

constexpr std::uint32_t traced_tasks_per_worker = 4096;

std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

balanced_options options_for(std::string const& policy, bool trace) {
  balanced_options options;
  options.policy = policy;
  options.queue.timeout = device_timeout;
  options.queue.times = true;
  options.queue.resident.spared_multiprocessors = 0;  // nothing else computes while TQ runs
  options.queue.trace_depth = trace ? traced_tasks_per_worker : 0;
  return options;
}

}  // namespace

queue_runner::queue_runner(device_list const& devices, stage const& system, granularity const& cut,
                           bool trace)
    : queue_(devices, system.kernels(), options_for(cut.feed, trace)),
      tasks_(prepare_tasks(devices, system, cut.task)) {}

force_timing queue_runner::forces(std::int64_t step) {
  ensure_started();
  step_ = step;
  auto const begin = clock::now();
  auto const given = submit_tasks(tasks_.forces, "TQ forces");
  force_timing timing{std::chrono::nanoseconds(clock::now() - begin).count(), {}};
  for (auto const& share : queue_.shares(given)) {
    timing.busy_ns.push_back(share.tasks > 0 ? share.when.last_end_ns - share.when.first_begin_ns : 0);
  }
  queue_.forget(given);
  return timing;
}

void queue_runner::drift() { queue_.forget(submit_tasks(tasks_.drifts, "drift")); }
void queue_runner::kick() { queue_.forget(submit_tasks(tasks_.kicks, "kick")); }

backlog_ticket queue_runner::submit_tasks(std::shared_ptr<prepared_tasks const> const& tasks,
                                          char const* label) {
  ensure_started();
  if (spans_ != nullptr) windows_.push_back({now_ns(), step_, label});
  auto const given = queue_.submit(tasks);
  queue_.wait(given);
  return given;
}

void queue_runner::ensure_started() {
  if (!started_) queue_.start();
  started_ = true;
}

void queue_runner::leave() {
  if (!started_) return;
  queue_.close();
  started_ = false;
  for (std::size_t d = 0; spans_ != nullptr && d < queue_.size(); ++d) record_device(d);
  windows_.clear();
}

void queue_runner::record_device(std::size_t device) {
  std::vector<ballast::span> spans;
  for (auto const& done : queue_.on(device).task_spans()) {
    auto const after = std::upper_bound(windows_.begin(), windows_.end(), done.begin_ns,
                                        [](auto at, window const& w) { return at < w.begin_ns; });
    if (after == windows_.begin()) continue;  // ran before recording began
    auto const& during = *std::prev(after);
    spans.push_back({device, done.worker, during.label, during.step, 1, done.begin_ns, done.end_ns});
  }
  spans_->record(std::move(spans));
}

}  // namespace ballast::md
