// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "checked_task.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

op_stream on(std::uint32_t device, device_stream stream) { return {device, std::uint32_t(stream)}; }

moved_bytes moved_by(planned_copy const& copy) {
  auto const bytes = copy.size;
  if (copy.from == host_place) return {.from_host = bytes};
  if (copy.to == host_place) return {.to_host = bytes};
  return {.between_devices = bytes};
}

}  // namespace

/// The target's, so that what comes in is in one order; but a GPU reaches all memory, and CPU cores do not.
op_stream job_runtime::stream_of_copy(place_id from, place_id to) const {
  if (to == host_place) return on(from.value() - 1, device_stream::copy_out);
  auto const is_cuda = [&](place_id place) {
    return place != host_place && devices_[place.value() - 1]->is_cuda();
  };
  if (is_cuda(from) && !is_cuda(to)) return on(from.value() - 1, device_stream::copy_out);
  return on(to.value() - 1, device_stream::copy_in);
}

/// That of the kernel whose results it reads, so that it begins at once when that ends. Else they alternate,
/// so that the tail of a kernel and the next one's beginning share the device.
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

/// Of tasks of one job that are planned together.
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

/// Of those that have not ended.
progress_list job_runtime::progress_of(std::vector<op_id> const& ops) const {
  progress_list found;
  for (auto const op : ops)
    if (auto const one = progress_.find(op.value()); one != progress_.end()) found.push_back(one->second);
  return found;
}

}  // namespace ballast::detail
