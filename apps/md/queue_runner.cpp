// SPDX-License-Identifier: Apache-2.0
#include "queue_runner.hpp"

#include <algorithm>

#include "cell_forces.cuh"

namespace ballast::md {
namespace {

constexpr std::uint32_t blocks_per_motion_task = 16;  ///< moving 128 atoms is too little for a task
constexpr std::uint64_t least_tasks_per_core = 32;
constexpr std::uint32_t traced_tasks_per_worker = 4096;

std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

template <class Make>
std::shared_ptr<prepared_tasks const> tasks_of(stage const& system, std::uint32_t per_task,
                                               Make const& make) {
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < system.blocks(); first += per_task)
    tasks.push_back(make(block_range{first, std::min(per_task, system.blocks() - first)}));
  return std::make_shared<prepared_tasks const>(system.kernels(), tasks);
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

queue_runner::queue_runner(device_list const& devices, stage const& system, std::uint32_t task_atoms,
                           bool trace)
    : queue_(devices, system.kernels(), options_for(trace)),
      forces_(tasks_of(system, blocks_per_task(system.blocks(), task_atoms),
                       [&](block_range r) { return system.forces_task(atom_order::decomposed, r); })),
      drifts_(tasks_of(system, blocks_per_motion_task, [&](block_range r) { return system.drift_task(r); })),
      kicks_(tasks_of(system, blocks_per_motion_task, [&](block_range r) { return system.kick_task(r); })) {}

/// Chosen: the paper's one; on cores the largest of 1, 2 and 4 that leaves every worker tasks enough to be
/// balanced with. On GPUs larger tasks were not faster.
std::uint32_t queue_runner::blocks_per_task(std::uint32_t blocks, std::uint32_t task_atoms) {
  if (task_atoms > 0) return (task_atoms - 1) / atoms_per_block + 1;
  std::uint64_t least = 0;
  for (std::size_t d = 0; d < queue_.size(); ++d) {
    if (queue_.on(d).device().is_cuda()) return 1;
    least += least_tasks_per_core * queue_.on(d).workers();
  }
  return blocks >= 4 * least ? 4 : blocks >= 2 * least ? 2 : 1;
}

force_timing queue_runner::forces(std::int64_t step) {
  ensure_started();
  step_ = step;
  auto const begin = clock::now();
  auto const given = carry_out(forces_, "TQ forces");
  force_timing timing{std::chrono::nanoseconds(clock::now() - begin).count(), {}};
  for (auto const& share : queue_.shares(given)) {
    timing.busy_ns.push_back(share.tasks > 0 ? share.when.last_end_ns - share.when.first_begin_ns : 0);
  }
  queue_.forget(given);
  return timing;
}

void queue_runner::drift() { queue_.forget(carry_out(drifts_, "drift")); }
void queue_runner::kick() { queue_.forget(carry_out(kicks_, "kick")); }

backlog_ticket queue_runner::carry_out(std::shared_ptr<prepared_tasks const> const& tasks,
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
