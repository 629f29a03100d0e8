// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "job_runtime.hpp"
#include "job_units.hpp"

namespace ballast::detail {
namespace {

/// Of jobs that are not wholly planned, at which advance() looks.
constexpr int max_jobs_examined = 16;

}  // namespace

/// Jobs that fail at once make room for others to be looked at, and no end would tell of it.
void job_runtime::advance() {
  forget_released_arrays();
  if (stopped_) return;
  for (auto& device : on_devices_) device.lacks_memory = false;
  do plan_jobs();
  while (retire_ended());
}

void job_runtime::plan_jobs() {
  int examined = 0;
  for (auto const& job : jobs_) {
    if (!job->is_planned() && ++examined > max_jobs_examined) break;
    if (!job->is_planned()) plan_of(job);
    if (job->failure) drop_rest(*job);
  }
}

bool job_runtime::retire_ended() {
  auto const failed_before = statistics_.failed;
  auto const ended = [&](std::shared_ptr<job_record> const& job) {
    if (!job->has_ended() || (job->failure && !drop_rest(*job))) return false;
    ++statistics_.ended;
    if (job->failure) ++statistics_.failed;
    job->complete_tickets();
    retired_.push_back(job);
    return true;
  };
  if (std::erase_if(jobs_, ended) != 0) changed_.notify();
  return statistics_.failed != failed_before;
}

void job_runtime::plan_of(std::shared_ptr<job_record> const& job) {
  if (job->split == nullptr && !begin(*job)) return;
  while (plan_round(job)) {}
  fail_if_stuck(*job);
}

/// A task for each device that may have one more: so devices that begin together are known before anything
/// is copied to them.
bool job_runtime::plan_round(std::shared_ptr<job_record> const& job) {
  std::vector<planned_task> tasks;
  for (std::uint32_t device_index = 0; device_index < job->device_states.size(); ++device_index)
    if (auto task = next_task(job, device_index)) tasks.push_back(std::move(*task));
  bool const any = !tasks.empty();
  try {
    broadcast_shared_reads(tasks);
    for (auto& task : tasks) plan_task(std::move(task));
  } catch (...) { fail(*job, {}, {}, std::current_exception()); }
  return any;
}

auto job_runtime::next_task(std::shared_ptr<job_record> const& job, std::uint32_t device_index)
    -> std::optional<planned_task> {
  if (job->failure) return std::nullopt;
  auto& on = job->device_states[device_index];
  if (!has_room(job->devices[device_index], on.in_flight - (on.deferred ? 1 : 0))) return std::nullopt;
  if (!on.deferred) {
    on.deferred = job->split->next(device_index, on.in_flight);
    if (!on.deferred) return std::nullopt;
    ++on.in_flight;
  }
  auto task = admit(job, device_index, *on.deferred);
  if (task) on.deferred.reset();
  return task;
}

/// Everything that a user's function may throw comes before anything changes.
auto job_runtime::admit(std::shared_ptr<job_record> const& job, std::uint32_t device_index, job_part part)
    -> std::optional<planned_task> {
  auto const device = job->devices[device_index];
  try {
    planned_task task{job, device_index, part, job->uses(part)};
    if (on_devices_[device].is_lost) throw error("the device is lost");
    if (order_.blocking_job(job->number, task.uses)) return std::nullopt;
    check_not_lost(task);
    task.pieces = pieces_of(task);
    if (!pin(task)) {
      on_devices_[device].lacks_memory = true;
      return std::nullopt;
    }
    order_.mark_planned(job->number, part);
    return task;
  } catch (...) {
    fail(*job, part, devices_[device]->name(), std::current_exception());
    return std::nullopt;
  }
}

void job_runtime::check_not_lost(planned_task const& task) const {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    auto const& array = *task.job->request.arguments[i].array;
    if (auto const by = losing_job(array.directory, task.uses[i].read))
      throw error("it reads elements of " + array.name() +
                  (*by == job_number()
                       ? " that a lost device had"
                       : " that job number " + std::to_string(by->value()) + " was to write, which failed"));
  }
}

bool job_runtime::pin(planned_task& task) {
  auto const needs = needs_of(task.uses);
  auto residents = residencies_[task.job->devices[task.device_index]]->pin(needs, task.moved);
  if (!residents) return false;
  for (auto const& need : needs) task.first_bytes.push_back(need.hull.begin);
  task.residents = std::move(*residents);
  return true;
}

/// Worth more kernels only if the part is about all that the device will have of the job; tasks are checked
/// whole.
std::vector<task_piece> job_runtime::pieces_of(planned_task const& task) const {
  auto const& job = *task.job;
  auto const whole_share = job.units() / std::uint32_t(2 * job.devices.size());
  if (job.devices.size() < 2 || options_.check_maps || task.part.count < whole_share)
    return {{task.part, task.uses}};
  auto const parts = boundary_first(task.part, job.units(), [&](std::uint32_t unit, std::uint32_t other) {
    return job.read_in_common(unit, other);
  });
  if (parts.size() == 1) return {{task.part, task.uses}};
  std::vector<task_piece> pieces;
  for (auto const part : parts) pieces.push_back({part, job.uses(part)});
  return pieces;
}

/// The ends follow what they read in one stream and so begin first; the rest, in the other one, begins while
/// their few blocks run.
void job_runtime::plan_task(planned_task planned) {
  auto const task = std::make_shared<planned_task>(std::move(planned));
  fetch_reads(*task);
  auto stream = compute_stream_of(*task);
  for (std::size_t i = 0; i < task->pieces.size(); ++i) {
    if (i != 0 && i + 1 == task->pieces.size()) stream = other_compute_stream(stream);
    auto const kernel = plan_kernel(*task, task->pieces[i], stream);
    submit_kernel(kernel, *task, task->pieces[i]);
    kernels_in_flight_.emplace(kernel.value(), kernel_in_flight{task, i});
  }
  ++task->job->tasks_in_flight;
  ++on_devices_[task->job->devices[task->device_index]].tasks;
}

void job_runtime::fetch_reads(planned_task& task) {
  auto const& arguments = task.job->request.arguments;
  auto const place = place_id(1 + task.job->devices[task.device_index]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const moved = fetch_to(arguments[i].array, task.uses[i].read, place,
                                task.resident_of(i).dependencies, task.job->number);
    task.moved += moved;
    if (!task.job->is_shared_by_units(i)) task.own_bytes += moved.all();
  }
}

/// All that it reads is noted before anything that it writes, since one array may be several arguments.
op_id job_runtime::plan_kernel(planned_task const& task, task_piece const& piece, op_stream on) {
  auto const& arguments = task.job->request.arguments;
  auto const place = place_id(1 + task.job->devices[task.device_index]);
  auto const kernel = ops_.add(op_kind::kernel, on);
  for (auto const& resident : task.residents)
    for (auto const earlier : resident.dependencies) ops_.add_dependency(kernel, earlier);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    record_reads(arguments[i].array->directory, kernel, place, piece.uses[i].read);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    record_writes(arguments[i].array->directory, kernel, place, piece.uses[i].written);
  return kernel;
}

resident_bytes const& planned_task::resident_of(std::size_t argument) const {
  return *std::ranges::find(residents, uses[argument].array, &resident_bytes::array);
}

/// Where the first byte of each argument's array would be: what is before the hull is not there, and is not
/// computed as a pointer.
std::vector<void*> job_runtime::arrays_of(planned_task const& task) const {
  auto* const memory = residencies_[task.job->devices[task.device_index]]->memory();
  std::vector<void*> arrays;
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    auto const& resident = task.resident_of(i);
    auto const place = std::size_t(&resident - task.residents.data());
    auto const first = reinterpret_cast<std::uintptr_t>(memory) + resident.offset - task.first_bytes[place];
    auto const& use = task.uses[i];
    auto const is_empty = use.read.is_empty() && use.written.is_empty();
    arrays.push_back(is_empty ? nullptr : reinterpret_cast<void*>(first));
  }
  return arrays;
}

}  // namespace ballast::detail
