// SPDX-License-Identifier: Apache-2.0
#include "run/operation_dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "plan/job_failed.hpp"
#include "run/map_check.hpp"

namespace ballast::detail {

static void enqueue_rows(std::vector<row_copy> const& rows, std::byte* to, std::byte const* from,
                         stream& on) {
  for (auto const& copy : rows)
    if (copy.rows == 1)
      on.copy(to + copy.to, from + copy.from, copy.row_bytes);
    else
      on.copy_rows(to + copy.to, copy.to_pitch, from + copy.from, copy.from_pitch, copy.row_bytes, copy.rows);
}

operation_dispatcher::operation_dispatcher(operations& ops, std::vector<device> devices,
                                           job_options const& options, submission submit,
                                           exchange_begin begin, std::function<bool()> is_stopped)
    : ops_(ops),
      devices_(std::move(devices)),
      check_maps_(options.check_maps),
      times_copies_(options.trace_to),
      submit_(std::move(submit)),
      begin_(std::move(begin)),
      is_stopped_(std::move(is_stopped)) {}

void operation_dispatcher::take(planned_work work) {
  if (auto* const copy = std::get_if<copy_work>(&work)) return submit_copy(std::move(*copy));
  if (auto* const exchange = std::get_if<exchange_work>(&work)) return submit_exchange(std::move(*exchange));
  submit_kernel(std::get<kernel_work>(std::move(work)));
}

bool operation_dispatcher::waits_to_be_issued(op_id op) const {
  auto const found = in_flight_.find(op.value());
  return found != in_flight_.end() && !found->second.progress->is_issued();
}

std::byte* operation_dispatcher::memory_at(place_id place, array_state const& array) const {
  return array.memory_at(place, place == host_place ? nullptr : devices_[place.value() - 1].memory);
}

void operation_dispatcher::submit_copy(copy_work copy) {
  auto* const to = memory_at(copy.what.to, *copy.array);
  auto* const from = memory_at(copy.what.from, *copy.array);
  auto const op = copy.what.op;
  auto const job = copy.job;
  device_operation copying{
      .enqueue = [rows = std::move(copy.rows), to, from](stream& on, task_extent const&) {
        enqueue_rows(rows, to, from, on);
      }};
  submit(op, job, std::move(copy), std::move(copying));
}

void operation_dispatcher::check_not_stopped() const {
  if (is_stopped_ && is_stopped_()) std::rethrow_exception(failure_by_stop());
}

/// A checked task's results reach the device at its end, if it kept to its maps.
void operation_dispatcher::submit_kernel(kernel_work kernel) {
  auto const op = kernel.op;
  auto const job = kernel.task->job;
  auto const& piece = kernel.task->pieces[kernel.piece];
  auto const device = kernel.task->device();
  auto extent = kernel.task->extent(devices_[device].memory);
  extent.part = piece.part;
  auto const launch = [this, job, device](std::vector<void*> const& on_arrays, job_part part, stream& on) {
    check_not_stopped();
    job->request.launch({on_arrays, job->grid(), part, job->code(), device}, on);
  };
  device_operation work{.extent = std::move(extent), .may_be_joined = kernel.may_be_joined};
  work.is_sequence = job->request.parts != nullptr;
  if (job->is_shared) {
    std::vector<std::vector<void*>> all{pointers_to(work.extent.arrays)};
    for (auto const& share : kernel.task->shares)
      all.push_back(pointers_to(share.extent(devices_[share.device()].memory).arrays));
    work.enqueue = [this, job, device, all = std::move(all)](stream& on, task_extent const& of) {
      check_not_stopped();
      job->request.launch({all.front(), job->grid(), of.part, job->code(), device, all}, on);
    };
    work.conclude = job->request.shares->check, work.settle = job->request.shares->settle;
    return submit(op, job->number, std::move(kernel), std::move(work));
  }
  if (!check_maps_) {
    work.enqueue = [launch](stream& on, task_extent const& of) {
      launch(pointers_to(of.arrays), of.part, on);
    };
    return submit(op, job->number, std::move(kernel), std::move(work));
  }
  auto const checked =
      std::make_shared<checked_task>(job->request, *piece.uses, pointers_to(work.extent.arrays));
  work.enqueue = [checked, launch](stream& on, task_extent const& of) {
    checked->prepare();
    for (std::size_t trial = 0; trial < trials; ++trial) launch(checked->arrays(trial), of.part, on);
  };
  work.conclude = [checked, job] { checked->conclude(); };
  submit(op, job->number, std::move(kernel), std::move(work));
}

/// All dependencies of the operation are known by now: nothing newer is put before it.
void operation_dispatcher::submit(op_id op, job_number job, planned_work work, device_operation operation) {
  auto const& planned = ops_.at(op);
  auto const executor = planned.on.executor;
  auto const progress =
      std::make_shared<operation_progress>(op, planned.on, devices_[executor].kind, check_maps_);
  if (watcher_ != nullptr) watcher_->submitted(op, planned, job);
  operation.progress = progress;
  operation.is_timed = planned.kind == op_kind::kernel || times_copies_;
  operation.dependencies = progress_of(planned.dependencies);
  operation.data_dependencies = progress_of(planned.data_dependencies);
  ops_.mark_issued(op);
  in_flight_.emplace(op.value(), work_in_flight{progress, std::move(work)});
  submit_(executor, std::move(operation));
}

void operation_dispatcher::submit_exchange(exchange_work exchange) {
  auto const op = exchange.op;
  ops_.mark_issued(op);
  auto const progress = std::make_shared<operation_progress>(op, ops_.at(op).on, backend::host);
  in_flight_.emplace(op.value(), work_in_flight{progress, std::move(exchange)});
  waiting_exchanges_.push_back(op);
  begin_exchanges();
}

/// Begins the waiting exchanges whose dependencies have ended. The completion handler must call this, since
/// only it sees dependencies end.
void operation_dispatcher::begin_exchanges() {
  std::erase_if(waiting_exchanges_, [&](op_id op) {
    auto const has_ended = [&](op_id earlier) { return ops_.has_ended(earlier); };
    if (!std::ranges::all_of(ops_.at(op).dependencies, has_ended)) return false;
    auto const& [progress, work] = in_flight_.at(op.value());
    begin_(std::get<exchange_work>(work), progress);
    return true;
  });
}

std::vector<ended_operation> operation_dispatcher::give_up_exchanges(std::exception_ptr const& why) {
  std::vector<ended_operation> given_up;
  waiting_exchanges_.clear();
  for (auto const& [op, one] : in_flight_) {
    if (!std::holds_alternative<exchange_work>(one.work) || reported_ends_.contains(op_id(op))) continue;
    one.progress->mark_failed();
    one.progress->mark_ended(now_ns());
    given_up.push_back({op_id(op), why});
  }
  return given_up;
}

/// The progress of those operations that have not ended.
progress_list operation_dispatcher::progress_of(op_set const& ops) const {
  progress_list found;
  for (auto const op : ops)
    if (auto const one = in_flight_.find(op.value()); one != in_flight_.end())
      found.push_back(one->second.progress);
  return found;
}

/// Handles completions in the order of the operations. A completion counts only after those of all its
/// dependencies, because it inherits their failure and executors report them at different times.
void operation_dispatcher::handle_ends(std::uint32_t on_device, std::vector<ended_operation> const& ends,
                                       end_listener const& ended) {
  for (auto const& one : ends) reported_ends_.emplace(one.op, reported_end{on_device, one});
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
    auto const counts = std::move(reported->second);
    reported = reported_ends_.erase(reported);
    end(counts, ended);
  }
  begin_exchanges();
}

void operation_dispatcher::end(reported_end const& reported, end_listener const& ended) {
  auto const op = reported.end.op;
  ops_.mark_ended(op, reported.end.failure != nullptr);
  auto const failed = ops_.at(op).status == op_status::failed;
  auto const work = in_flight_.extract(op.value());
  if (watcher_ != nullptr && !std::holds_alternative<exchange_work>(work.mapped().work))
    watcher_->ended(op, ops_.at(op));
  ended(work.mapped().work, reported.device, reported.end, failed);
}

std::vector<planned_work> operation_dispatcher::forget_all() {
  std::vector<planned_work> all;
  for (auto& [op, one] : in_flight_) all.push_back(std::move(one.work));
  in_flight_.clear();
  reported_ends_.clear();
  waiting_exchanges_.clear();
  return all;
}

/// Every operation depends on older ones only, so the oldest shows where the work hangs.
auto operation_dispatcher::oldest() const -> std::optional<unfinished_operation> {
  auto const found = std::ranges::min_element(in_flight_, {}, [](auto const& one) { return one.first; });
  if (found == in_flight_.end()) return std::nullopt;
  auto const& [op, one] = *found;
  auto const* const exchange = std::get_if<exchange_work>(&one.work);
  bool const is_issued = exchange == nullptr ? one.progress->is_issued()
                                             : !std::ranges::binary_search(waiting_exchanges_, op_id(op));
  auto const* const kernel = std::get_if<kernel_work>(&one.work);
  return unfinished_operation{op_id(op),
                              kernel != nullptr,
                              is_issued,
                              one.progress->on().executor,
                              exchange == nullptr ? nullptr : &exchange->what,
                              kernel == nullptr ? nullptr : kernel->task->job};
}

}  // namespace ballast::detail
