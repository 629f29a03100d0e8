// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "job_failed.hpp"
#include "job_runtime.hpp"
#include "map_check.hpp"

namespace ballast::detail {
namespace {

/// One copy of equal rows, as a stream takes it.
struct row_copy {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t row_bytes = 0, rows = 1;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< where there are several rows
};

std::byte* address(placed_bytes const& at, located_bytes const& piece, std::size_t byte) {
  return at.memory + piece.offset + (byte - piece.bytes.begin);
}

bool follows(row_copy const& last, std::byte const* to, std::byte const* from) {
  return to == last.to + last.rows * last.to_pitch && from == last.from + last.rows * last.from_pitch;
}

/// A second row decides the pitch.
bool append_row(row_copy& last, row_copy const& next) {
  if (last.row_bytes != next.row_bytes) return false;
  if (last.rows > 1 && !follows(last, next.to, next.from)) return false;
  if (last.rows == 1) {
    if (next.to < last.to + last.row_bytes || next.from < last.from + last.row_bytes) return false;
    last.to_pitch = std::size_t(next.to - last.to);
    last.from_pitch = std::size_t(next.from - last.from);
  }
  ++last.rows;
  return true;
}

/// Adds what copies the bytes that are located at both; rows that follow each other evenly become one.
void add_copies(std::vector<row_copy>& copies, placed_bytes const& from, placed_bytes const& to) {
  for (auto const& source : from.located)
    for (auto const& target : to.located) {
      auto const bytes = common(source.bytes, target.bytes);
      if (bytes.is_empty()) continue;
      row_copy const next{.to = address(to, target, bytes.begin),
                          .from = address(from, source, bytes.begin),
                          .row_bytes = bytes.size()};
      if (copies.empty() || !append_row(copies.back(), next)) copies.push_back(next);
    }
}

void enqueue(std::vector<row_copy> const& copies, stream& on) {
  for (auto const& copy : copies)
    if (copy.rows == 1)
      on.copy(copy.to, copy.from, copy.row_bytes);
    else
      on.copy_rows(copy.to, copy.to_pitch, copy.from, copy.from_pitch, copy.row_bytes, copy.rows);
}

op_stream on(std::uint32_t device, device_stream stream) { return {device, std::uint32_t(stream)}; }

moved_bytes moved_by(planned_copy const& copy) {
  auto const bytes = copy.size;
  if (copy.from == host_place) return {.from_host = bytes};
  if (copy.to == host_place) return {.to_host = bytes};
  return {.between_devices = bytes};
}

}  // namespace

/// A copy takes a stream of its target, so that what comes in is in one order; but a GPU reaches all memory,
/// and CPU cores do not.
op_stream job_runtime::stream_of_copy(place_id from, place_id to) const {
  if (to == host_place) return on(from.value() - 1, device_stream::copy_out);
  auto const is_cuda = [&](place_id place) {
    return place != host_place && devices_[place.value() - 1]->is_cuda();
  };
  if (is_cuda(from) && !is_cuda(to)) return on(from.value() - 1, device_stream::copy_out);
  return on(to.value() - 1, device_stream::copy_in);
}

/// A task takes the stream of the kernel whose results it reads, so that it begins as soon as that ends.
/// Other tasks alternate, so that the tail of one kernel and the beginning of the next share the device.
op_stream job_runtime::compute_stream_of(planned_task const& task) {
  if (auto const writer = last_writer(task); writer != op_id()) return ops_.at(writer).on;
  auto const device = task.job->devices[task.device_index];
  auto const even = on_devices_[device].kernels++ % 2 == 0;
  return on(device, even ? device_stream::compute_0 : device_stream::compute_1);
}

op_stream job_runtime::other_compute_stream(op_stream of) {
  auto const is_first = of.stream == std::uint32_t(device_stream::compute_0);
  return on(of.executor, is_first ? device_stream::compute_1 : device_stream::compute_0);
}

/// The newest kernel on the task's device of which it reads something and which has not ended; or none.
op_id job_runtime::last_writer(planned_task const& task) const {
  op_id newest{};
  auto const place = place_id(1 + task.job->devices[task.device_index]);
  for (std::size_t i = 0; i < task.uses.size(); ++i)
    for (auto const writer :
         task.job->request.arguments[i].array->directory.writers(place, task.uses[i].read.hull()))
      if (ops_.at(writer).kind == op_kind::kernel) newest = std::max(newest, writer);
  return newest;
}

moved_bytes job_runtime::fetch_to(std::shared_ptr<array_state> const& array, byte_runs const& bytes,
                                  place_id to, std::span<op_id const> after, job_number job) {
  moved_bytes moved;
  for (auto const& copy : planner_.fetch_to(array->directory, bytes, to, after)) {
    submit_copy(array, copy, job);
    moved += moved_by(copy);
  }
  statistics_.moved += moved;
  return moved;
}

/// The tasks are of one job and planned together.
void job_runtime::broadcast_shared_reads(std::vector<planned_task>& tasks) {
  if (tasks.size() < 2) return;
  auto const job = tasks.front().job;
  for (std::size_t i = 0; i < job->request.arguments.size(); ++i)
    if (job->request.arguments[i].reads() && job->is_shared_by_units(i)) broadcast(i, tasks);
}

/// A task that reads something else, of a map for which units differ after all, has no memory for this.
void job_runtime::broadcast(std::size_t argument, std::vector<planned_task>& tasks) {
  auto const job = tasks.front().job;
  auto const& array = job->request.arguments[argument].array;
  auto const& bytes = tasks.front().uses[argument].read;
  std::vector<shared_reader> readers;
  std::map<place_id, planned_task*> tasks_at;
  for (auto& task : tasks) {
    if (task.uses[argument].read != bytes) continue;
    auto const place = place_id(1 + job->devices[task.device_index]);
    readers.push_back({place, task.resident_of(argument).dependencies});
    tasks_at.emplace(place, &task);
  }
  for (auto const& copy : planner_.broadcast(array->directory, bytes, readers)) {
    submit_copy(array, copy, job->number);
    tasks_at.at(copy.to)->moved += moved_by(copy);
    statistics_.moved += moved_by(copy);
  }
}

void job_runtime::submit_copy(std::shared_ptr<array_state> const& array, planned_copy const& copy,
                              job_number job) {
  copies_.emplace(copy.op.value(), copy_in_flight{array, copy, job});
  std::vector<row_copy> copies;
  for (auto const bytes : copy.bytes)
    add_copies(copies, placed(*array, copy.from, bytes), placed(*array, copy.to, bytes));
  submit_operation(copy.op, job, [copies = std::move(copies)](stream& on) { enqueue(copies, on); });
}

placed_bytes job_runtime::placed(array_state const& array, place_id place, byte_range bytes) const {
  if (place == host_place) return {array.host_memory(), {{bytes, bytes.begin}}};
  auto const& residency = *residencies_[place.value() - 1];
  return {residency.memory(), residency.set().located(array.id, bytes)};
}

/// Only what is valid there moves.
void job_runtime::move_on_device(std::shared_ptr<array_state> const& array, std::uint32_t device,
                                 byte_range bytes, std::size_t from, std::size_t to,
                                 std::span<op_id const> after) {
  auto const place = place_id(1 + device);
  auto* const memory = residencies_[device]->memory();
  planned_copy copy{ops_.add(op_kind::copy, on(device, device_stream::copy_in)), place, place};
  for (auto const earlier : after) ops_.add_dependency(copy.op, earlier);
  std::vector<row_copy> copies;
  for (auto const& piece : array->directory.holders(bytes)) {
    if ((piece.places >> place.value() & 1) == 0) continue;
    auto const at = piece.bytes.begin - bytes.begin;
    array->directory.record_arrival(copy.op, place, place, piece.bytes);
    copies.push_back({memory + to + at, memory + from + at, piece.bytes.size()});
    copy.add(piece.bytes);
  }
  sources_.mark_planned(place, place, copy.size);
  auto const op = copy.op;
  copies_.emplace(op.value(), copy_in_flight{array, std::move(copy), {}});
  submit_operation(op, {}, [copies = std::move(copies)](stream& to_copy) { enqueue(copies, to_copy); });
}

void job_runtime::submit_kernel(op_id op, planned_task const& task, task_piece const& piece) {
  auto const launch = [job = task.job, part = piece.part](std::vector<void*> const& arrays, stream& on) {
    job->request.launch({arrays, job->grid(), part, job->code}, on);
  };
  if (options_.check_maps) return submit_checked_kernel(op, task, piece, launch);
  submit_operation(op, task.job->number,
                   [launch, arrays = arrays_of(task)](stream& on) { launch(arrays, on); });
}

/// Its results reach the device at its end, if it did nothing beside its maps.
void job_runtime::submit_checked_kernel(op_id op, planned_task const& task, task_piece const& piece,
                                        launch_on_arrays launch) {
  auto const checked = std::make_shared<checked_task>(task.job->request, piece.uses, arrays_of(task));
  auto const try_twice = [checked, launch = std::move(launch)](stream& on) {
    checked->prepare();
    for (std::size_t trial = 0; trial < trials; ++trial) launch(checked->arrays(trial), on);
  };
  submit_operation(op, task.job->number, try_twice, [checked, job = task.job] { checked->conclude(); });
}

/// What an operation waits for is known by now: nothing newer is put before it.
void job_runtime::submit_operation(op_id op, job_number job, std::function<void(stream&)> enqueue,
                                   std::function<void()> conclude) {
  auto const& planned = ops_.at(op);
  auto const executor = planned.on.executor;
  auto const progress = std::make_shared<operation_progress>(op, planned.on, devices_[executor]->is_cuda(),
                                                             options_.check_maps);
  journal_.record_submission(op, planned, job);
  device_operation work{progress,
                        planned.kind == op_kind::kernel,
                        progress_of(planned.dependencies),
                        progress_of(planned.data_dependencies),
                        std::move(enqueue),
                        std::move(conclude)};
  ops_.mark_issued(op);
  progress_.emplace(op.value(), progress);
  executors_[executor]->submit(std::move(work));
}

/// The progress of those operations that have not ended.
progress_list job_runtime::progress_of(std::vector<op_id> const& ops) const {
  progress_list found;
  for (auto const op : ops)
    if (auto const one = progress_.find(op.value()); one != progress_.end()) found.push_back(one->second);
  return found;
}

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
  if (!options_.trace_to) return;
  auto const worker = ops_.at(end.op).on.stream - std::uint32_t(device_stream::compute_0);
  options_.trace_to.record(span{.device = device,
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

/// Whether no kernel of another job that has ended by now ran on the device meanwhile.
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
