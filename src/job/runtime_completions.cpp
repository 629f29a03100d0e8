// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "failure_cause.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_busy_times = 16;

bool is_device_lost(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (device_lost const&) { return true; } catch (...) {
    return false;
  }
}

}  // namespace

bool job_runtime::handle_ends(std::uint32_t executor, std::vector<ended_operation> const& ends,
                              device_executor::if_busy then) {
  guard const hold(*this, then);
  if (!hold.holds()) return false;
  for (auto const& end : ends) reported_ends_.emplace(end.op, reported_end{executor, end});
  handle_reported_ends();
  ops_.forget_before(op_id(ops_.newest().value() + 1));
  advance();
  changed_.notify();
  return true;
}

/// In the order of the operations: an end counts once those of all that it comes after do, because their
/// failure is its own, and executors tell them at different times.
void job_runtime::handle_reported_ends() {
  std::vector<op_stream> held_up;
  for (auto reported = reported_ends_.begin(); reported != reported_ends_.end();) {
    auto const& op = ops_.at(reported->first);
    bool const may_count =
        std::ranges::find(held_up, op.on) == held_up.end() &&
        std::ranges::all_of(op.dependencies, [&](op_id earlier) { return ops_.has_ended(earlier); });
    if (!may_count) {
      held_up.push_back(op.on);
      ++reported;
      continue;
    }
    auto const counts = reported_ends_.extract(reported++);
    handle_end(counts.mapped().executor, counts.mapped().end);
  }
}

void job_runtime::handle_end(std::uint32_t executor, ended_operation const& end) {
  ops_.mark_ended(end.op, end.failure != nullptr);
  auto const failed = ops_.at(end.op).status == op_status::failed;
  journal_.record_end(end.op, ops_.at(end.op));
  progress_.erase(end.op.value());
  auto const kernel = kernels_in_flight_.extract(end.op.value());
  auto const copy = copies_.extract(end.op.value());
  if (end.failure && is_device_lost(end.failure)) lose_device(executor);
  if (kernel) handle_kernel_end(executor, kernel.mapped(), end, failed);
  if (copy) {
    handle_copy_end(end.op, copy.mapped(), failed);
    retired_.push_back(copy.mapped().array);
  }
}

void job_runtime::handle_copy_end(op_id op, copy_in_flight const& copy, bool failed) {
  auto const& [array, what, job] = copy;
  sources_.mark_ended(what.from, what.to, what.size);
  if (!failed) return;
  for (auto const bytes : what.bytes) array->directory.record_failed_copy(op, what.to, bytes, job);
}

void job_runtime::release_task(std::uint32_t executor, planned_task const& task) {
  --task.job->tasks_in_flight;
  --task.job->device_states[task.device_index].in_flight;
  --on_devices_[executor].tasks;
  residencies_[executor]->set().unpin(task.residents);
  if (!options_.reuse) residencies_[executor]->evict_unpinned();
}

void job_runtime::handle_kernel_end(std::uint32_t executor, kernel_in_flight const& kernel,
                                    ended_operation const& end, bool failed) {
  auto& task = *kernel.task;
  auto& piece = task.pieces[kernel.piece];
  piece.begin_ns = end.begin_ns, piece.end_ns = end.end_ns;
  if (failed) handle_piece_failure(task, piece, end);
  if (++task.pieces_ended < task.pieces.size()) return;
  release_task(executor, task);
  if (task.has_failed) return;
  auto const end_ns = task.end_ns();
  handle_task_end(executor, task, {.op = end.op, .begin_ns = end_ns - task.busy_ns(), .end_ns = end_ns});
}

std::int64_t planned_task::end_ns() const { return std::ranges::max(pieces, {}, &task_piece::end_ns).end_ns; }

std::int64_t planned_task::busy_ns() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (auto const& piece : pieces) times.emplace_back(piece.begin_ns, piece.end_ns);
  std::ranges::sort(times);
  std::int64_t sum = 0, until = times.front().first;
  for (auto const& [begin_ns, end_ns] : times) {
    sum += std::max<std::int64_t>(end_ns - std::max(begin_ns, until), 0);
    until = std::max(until, end_ns);
  }
  return sum;
}

void job_runtime::handle_task_end(std::uint32_t executor, planned_task const& task,
                                  ended_operation const& end) {
  auto& job = *task.job;
  ++statistics_.tasks;
  record_span(job, executor, end);
  job.report.moved += task.moved;
  job.report.tasks.push_back({executor, task.part, task.moved, end.begin_ns, end.end_ns});
  job.split->ended(task.device_index, {.part = task.part,
                                       .begin_ns = end.begin_ns,
                                       .end_ns = end.end_ns,
                                       .bytes_in = task.own_bytes,
                                       .bytes_out = task.moved.to_host,
                                       .alone = was_alone(executor, job.number, end)});
}

void job_runtime::record_span(job_record const& job, std::uint32_t device, ended_operation const& end) const {
  if (options_.spans == nullptr) return;
  auto const worker = ops_.at(end.op).on.stream - std::uint32_t(device_stream::compute_0);
  options_.spans->record({.device = device,
                          .worker = worker,
                          .label = job.report.name,
                          .step = std::int64_t(job.number.value()),
                          .tasks = 1,
                          .begin_ns = end.begin_ns,
                          .end_ns = end.end_ns});
}

void job_runtime::handle_piece_failure(planned_task& task, task_piece const& piece,
                                       ended_operation const& end) {
  auto& job = *task.job;
  task.has_failed = true;
  for (std::size_t i = 0; i < piece.uses.size(); ++i)
    piece.uses[i].written.for_each_interval([&](byte_range bytes) {
      job.request.arguments[i].array->directory.record_loss(end.op, bytes, job.number);
    });
  auto const why = end.failure ? end.failure : failure_of_source();
  fail(job, piece.part, devices_[job.devices[task.device_index]]->name(), why);
}

/// Of the kernels that have ended by now.
bool job_runtime::was_alone(std::uint32_t device, job_number job, ended_operation const& end) {
  auto& latest = on_devices_[device].latest;
  auto const met = std::ranges::any_of(latest, [&](busy_time const& other) {
    return other.job != job && other.begin_ns < end.end_ns && end.begin_ns < other.end_ns;
  });
  if (latest.size() == max_busy_times) latest.erase(latest.begin());
  latest.push_back({job, end.begin_ns, end.end_ns});
  return !met;
}

}  // namespace ballast::detail
