// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "ballast/base/error.hpp"
#include "failure_cause.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

constexpr std::size_t kept_busy_times = 16;

bool is_device_lost(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (device_lost const&) { return true; } catch (...) {
    return false;
  }
}

}  // namespace

bool scheduler_core::note_ends(std::uint32_t lane, std::vector<lane_end> const& ends,
                               device_lane::if_busy then) {
  guard const hold(*this, then);
  if (!hold.holds()) return false;
  for (auto const& end : ends) told_ends_.emplace(end.op, told_end{lane, end});
  note_told_ends();
  ops_.forget_before(op_id(ops_.newest().value() + 1));
  advance();
  changed_.ring();
  return true;
}

/// In the order of the operations: an end counts once those of all that it comes after do, because their
/// failure is its own, and lanes tell them at different times.
void scheduler_core::note_told_ends() {
  std::vector<op_stream> held_up;
  for (auto told = told_ends_.begin(); told != told_ends_.end();) {
    auto const& op = ops_.at(told->first);
    bool const may_count =
        std::ranges::find(held_up, op.on) == held_up.end() &&
        std::ranges::all_of(op.after, [&](op_id earlier) { return ops_.has_ended(earlier); });
    if (!may_count) {
      held_up.push_back(op.on);
      ++told;
      continue;
    }
    auto const counts = told_ends_.extract(told++);
    note_end(counts.mapped().lane, counts.mapped().end);
  }
}

void scheduler_core::note_end(std::uint32_t lane, lane_end const& end) {
  ops_.note_end(end.op, end.failure != nullptr);
  auto const failed = ops_.at(end.op).status == op_status::failed;
  journal_.note_end(end.op, ops_.at(end.op));
  progress_.erase(end.op.value());
  auto const kernel = kernels_in_flight_.extract(end.op.value());
  auto const copy = copies_.extract(end.op.value());
  if (end.failure && is_device_lost(end.failure)) lose_device(lane);
  if (kernel) note_kernel_end(lane, kernel.mapped(), end, failed);
  if (copy) {
    note_copy_end(end.op, copy.mapped(), failed);
    departed_.push_back(copy.mapped().array);
  }
}

void scheduler_core::note_copy_end(op_id op, copy_in_flight const& copy, bool failed) {
  auto const& [array, what, job] = copy;
  sources_.note_ended(what.from, what.to, what.size);
  if (!failed) return;
  for (auto const bytes : what.bytes) array->ledger.note_not_arrived(op, what.to, bytes, job);
}

void scheduler_core::let_go(std::uint32_t lane, planned_task const& task) {
  --task.job->tasks_in_flight;
  --task.job->shares[task.share].in_flight;
  --on_devices_[lane].tasks;
  residences_[lane]->set().unpin(task.residents);
  if (!options_.reuse) residences_[lane]->drop_unpinned();
}

void scheduler_core::note_kernel_end(std::uint32_t lane, kernel_in_flight const& kernel, lane_end const& end,
                                     bool failed) {
  auto& task = *kernel.task;
  auto& piece = task.pieces[kernel.piece];
  piece.begin_ns = end.begin_ns, piece.end_ns = end.end_ns;
  if (failed) note_piece_failed(task, piece, end);
  if (++task.pieces_ended < task.pieces.size()) return;
  let_go(lane, task);
  if (task.has_failed) return;
  auto const end_ns = task.end_ns();
  note_task_end(lane, task, {.op = end.op, .begin_ns = end_ns - task.busy_ns(), .end_ns = end_ns});
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

void scheduler_core::note_task_end(std::uint32_t lane, planned_task const& task, lane_end const& end) {
  auto& job = *task.job;
  ++statistics_.tasks;
  record_span(job, lane, end);
  job.report.moved += task.moved;
  job.report.tasks.push_back({lane, task.part, task.moved, end.begin_ns, end.end_ns});
  job.split->ended(task.share, {.part = task.part,
                                .begin_ns = end.begin_ns,
                                .end_ns = end.end_ns,
                                .bytes_in = task.own_bytes,
                                .bytes_out = task.moved.to_host,
                                .alone = was_alone(lane, job.number, end)});
}

void scheduler_core::record_span(job_record const& job, std::uint32_t device, lane_end const& end) const {
  if (options_.spans == nullptr) return;
  auto const worker = ops_.at(end.op).on.stream - std::uint32_t(lane_stream::compute_0);
  options_.spans->record({.device = device,
                          .worker = worker,
                          .label = job.report.name,
                          .step = std::int64_t(job.number.value()),
                          .tasks = 1,
                          .begin_ns = end.begin_ns,
                          .end_ns = end.end_ns});
}

void scheduler_core::note_piece_failed(planned_task& task, task_piece const& piece, lane_end const& end) {
  auto& job = *task.job;
  task.has_failed = true;
  for (std::size_t i = 0; i < piece.uses.size(); ++i)
    piece.uses[i].written.for_each_interval([&](byte_range bytes) {
      job.request.arguments[i].array->ledger.note_lost(end.op, bytes, job.number);
    });
  auto const why = end.failure ? end.failure : failure_of_source();
  fail(job, piece.part, devices_[job.devices[task.share]]->name(), why);
}

/// Of the kernels that have ended by now.
bool scheduler_core::was_alone(std::uint32_t device, job_number job, lane_end const& end) {
  auto& latest = on_devices_[device].latest;
  auto const met = std::ranges::any_of(latest, [&](busy_time const& other) {
    return other.job != job && other.begin_ns < end.end_ns && end.begin_ns < other.end_ns;
  });
  if (latest.size() == kept_busy_times) latest.erase(latest.begin());
  latest.push_back({job, end.begin_ns, end.end_ns});
  return !met;
}

}  // namespace ballast::inline job
