// SPDX-License-Identifier: Apache-2.0
#include "queue_runner.hpp"

#include <algorithm>
#include <optional>

namespace ballast::md {
namespace {

constexpr std::uint32_t blocks_per_motion_task = 16;  ///< moving 128 atoms is too little for a task
constexpr std::uint32_t traced_tasks_per_worker = 4096;
constexpr std::size_t tasks_per_batch =
    1024;  ///< devices begin with the first batch while the next are submitted

std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

template <class Make>
std::vector<task> tasks_of(std::uint32_t blocks, std::uint32_t per_task, Make const& make) {
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < blocks; first += per_task) {
    tasks.push_back(make(block_range{first, std::min(per_task, blocks - first)}));
  }
  return tasks;
}

balanced_options options_for(bool trace) {
  balanced_options options;
  options.queue.patience = patience;
  options.queue.times = true;
  options.queue.resident.spared_multiprocessors = 0;  // nothing else computes while TQ runs
  options.queue.trace_depth = trace ? traced_tasks_per_worker : 0;
  return options;
}

}  // namespace

queue_runner::queue_runner(device_list const& devices, stage const& system, bool trace)
    : forces_(tasks_of(system.blocks(), 1,
                       [&](block_range r) { return system.forces_task(atom_order::decomposed, r); })),
      drifts_(tasks_of(system.blocks(), blocks_per_motion_task,
                       [&](block_range r) { return system.drift_task(r); })),
      kicks_(tasks_of(system.blocks(), blocks_per_motion_task,
                      [&](block_range r) { return system.kick_task(r); })),
      queue_(devices, system.kernels(), options_for(trace)) {}

force_timing queue_runner::forces(std::int64_t step) {
  ensure_started();
  step_ = step;
  auto const begin = clock::now();
  carry_out(forces_, "TQ forces");
  force_timing timing{std::chrono::nanoseconds(clock::now() - begin).count(), {}};
  for (std::size_t d = 0; d < queue_.size(); ++d) timing.busy_ns.push_back(busy_ns(d));
  forget_batches();
  return timing;
}

void queue_runner::drift() {
  carry_out(drifts_, "drift");
  forget_batches();
}
void queue_runner::kick() {
  carry_out(kicks_, "kick");
  forget_batches();
}

void queue_runner::carry_out(std::span<task const> tasks, char const* label) {
  ensure_started();
  if (spans_ != nullptr) windows_.push_back({now_ns(), step_, label});
  for (std::size_t first = 0; first < tasks.size(); first += tasks_per_batch) {
    batches_.push_back(queue_.submit(tasks.subspan(first, std::min(tasks_per_batch, tasks.size() - first))));
  }
  for (auto const& batch : batches_) queue_.wait(batch);
}

/// From the begin of the first to the end of the last task that a device ran of the present batches.
std::int64_t queue_runner::busy_ns(std::size_t device) const {
  std::optional<execution> all;
  for (auto const& batch : batches_) {
    auto const share = queue_.shares(batch)[device];
    if (share.tasks == 0) continue;
    if (!all) all = share.when;
    all->first_begin_ns = std::min(all->first_begin_ns, share.when.first_begin_ns);
    all->last_end_ns = std::max(all->last_end_ns, share.when.last_end_ns);
  }
  return all ? all->last_end_ns - all->first_begin_ns : 0;
}

void queue_runner::forget_batches() {
  for (auto const& batch : batches_) queue_.forget(batch);
  batches_.clear();
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
  std::vector<trace::span> spans;
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
