// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ballast/base/error.hpp"
#include "ends_first.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {
namespace {

/// Of jobs that are not wholly planned, at which advance() looks.
constexpr int most_looked_at = 16;

}  // namespace

/// Jobs that fail at once make room for others to be looked at, and no end would tell of it.
void scheduler_core::advance() {
  forget_gone_arrays();
  if (stopped_) return;
  for (auto& device : on_devices_) device.lacks_memory = false;
  do plan_jobs();
  while (retire_ended());
}

void scheduler_core::plan_jobs() {
  int looked_at = 0;
  for (auto const& job : jobs_) {
    if (!job->is_planned() && ++looked_at > most_looked_at) break;
    if (!job->is_planned()) plan_of(job);
    if (job->failure) drop_rest(*job);
  }
}

bool scheduler_core::retire_ended() {
  auto const failed_before = statistics_.failed;
  auto const ended = [&](std::shared_ptr<job_record> const& job) {
    if (!job->has_ended() || (job->failure && !drop_rest(*job))) return false;
    ++statistics_.ended;
    if (job->failure) ++statistics_.failed;
    job->tell_end();
    departed_.push_back(job);
    return true;
  };
  if (std::erase_if(jobs_, ended) != 0) changed_.ring();
  return statistics_.failed != failed_before;
}

void scheduler_core::plan_of(std::shared_ptr<job_record> const& job) {
  if (job->split == nullptr && !begin(*job)) return;
  while (plan_round(job)) {}
  fail_if_stuck(*job);
}

/// A task for each device that may have one more: so devices that begin together are known before anything
/// is copied to them.
bool scheduler_core::plan_round(std::shared_ptr<job_record> const& job) {
  std::vector<planned_task> tasks;
  for (std::uint32_t share = 0; share < job->shares.size(); ++share)
    if (auto task = next_task(job, share)) tasks.push_back(std::move(*task));
  bool const any = !tasks.empty();
  try {
    spread_shared_reads(tasks);
    for (auto& task : tasks) plan_task(std::move(task));
  } catch (...) { fail(*job, {}, {}, std::current_exception()); }
  return any;
}

auto scheduler_core::next_task(std::shared_ptr<job_record> const& job, std::uint32_t share)
    -> std::optional<planned_task> {
  if (job->failure) return std::nullopt;
  auto& on = job->shares[share];
  if (!has_room(job->devices[share], on.in_flight - (on.kept ? 1 : 0))) return std::nullopt;
  if (!on.kept) {
    on.kept = job->split->next(share, on.in_flight);
    if (!on.kept) return std::nullopt;
    ++on.in_flight;
  }
  auto task = admitted(job, share, *on.kept);
  if (task) on.kept.reset();
  return task;
}

/// Everything that a user's function may throw comes before anything changes.
auto scheduler_core::admitted(std::shared_ptr<job_record> const& job, std::uint32_t share, job_part part)
    -> std::optional<planned_task> {
  auto const device = job->devices[share];
  try {
    planned_task task{job, share, part, job->uses(part)};
    if (on_devices_[device].is_lost) throw error("the device is lost");
    if (order_.in_the_way(job->number, task.uses)) return std::nullopt;
    refuse_lost(task);
    task.pieces = pieces_of(task);
    if (!pin(task)) {
      on_devices_[device].lacks_memory = true;
      return std::nullopt;
    }
    order_.note_planned(job->number, part);
    return task;
  } catch (...) {
    fail(*job, part, devices_[device]->name(), std::current_exception());
    return std::nullopt;
  }
}

void scheduler_core::refuse_lost(planned_task const& task) const {
  for (std::size_t i = 0; i < task.uses.size(); ++i) {
    auto const& array = *task.job->request.arguments[i].array;
    if (auto const by = lost_of(array.ledger, task.uses[i].read))
      throw error("it reads elements of " + array.name() +
                  (*by == job_number()
                       ? " that a lost device had"
                       : " that job number " + std::to_string(by->value()) + " was to write, which failed"));
  }
}

bool scheduler_core::pin(planned_task& task) {
  auto const needs = needs_of(task.uses);
  auto residents = residences_[task.job->devices[task.share]]->pin(needs, task.moved);
  if (!residents) return false;
  for (auto const& need : needs) task.first_bytes.push_back(need.hull.begin);
  task.residents = std::move(*residents);
  return true;
}

/// Worth more kernels only if the part is about all that the device will have of the job; tasks are checked
/// whole.
std::vector<task_piece> scheduler_core::pieces_of(planned_task const& task) const {
  auto const& job = *task.job;
  auto const whole_share = job.units() / std::uint32_t(2 * job.devices.size());
  if (job.devices.size() < 2 || options_.check_maps || task.part.count < whole_share)
    return {{task.part, task.uses}};
  auto const parts = ends_first(task.part, job.units(), [&](std::uint32_t unit, std::uint32_t other) {
    return job.read_in_common(unit, other);
  });
  if (parts.size() == 1) return {{task.part, task.uses}};
  std::vector<task_piece> pieces;
  for (auto const part : parts) pieces.push_back({part, job.uses(part)});
  return pieces;
}

/// The ends follow what they read in one stream and so begin first; the rest, in the other one, begins while
/// their few blocks run.
void scheduler_core::plan_task(planned_task planned) {
  auto const task = std::make_shared<planned_task>(std::move(planned));
  bring_reads(*task);
  auto stream = compute_stream_of(*task);
  for (std::size_t i = 0; i < task->pieces.size(); ++i) {
    if (i != 0 && i + 1 == task->pieces.size()) stream = other_compute_stream(stream);
    auto const kernel = note_kernel(*task, task->pieces[i], stream);
    hand_kernel(kernel, *task, task->pieces[i]);
    kernels_in_flight_.emplace(kernel.value(), kernel_in_flight{task, i});
  }
  ++task->job->tasks_in_flight;
  ++on_devices_[task->job->devices[task->share]].tasks;
}

void scheduler_core::bring_reads(planned_task& task) {
  auto const& arguments = task.job->request.arguments;
  auto const place = place_id(1 + task.job->devices[task.share]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const moved =
        bring(arguments[i].array, task.uses[i].read, place, task.resident_of(i).after, task.job->number);
    task.moved += moved;
    if (!task.job->is_shared_by_units(i)) task.own_bytes += moved.all();
  }
}

/// All that it reads is noted before anything that it writes, since one array may be several arguments.
op_id scheduler_core::note_kernel(planned_task const& task, task_piece const& piece, op_stream on) {
  auto const& arguments = task.job->request.arguments;
  auto const place = place_id(1 + task.job->devices[task.share]);
  auto const kernel = ops_.add(op_kind::kernel, on);
  for (auto const& resident : task.residents)
    for (auto const earlier : resident.after) ops_.order_after(kernel, earlier);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    note_reads(arguments[i].array->ledger, kernel, place, piece.uses[i].read);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    note_writes(arguments[i].array->ledger, kernel, place, piece.uses[i].written);
  return kernel;
}

resident_bytes const& planned_task::resident_of(std::size_t argument) const {
  return *std::ranges::find(residents, uses[argument].array, &resident_bytes::array);
}

/// Where the first byte of each argument's array would be: what is before the hull is not there, and is not
/// computed as a pointer.
std::vector<void*> scheduler_core::arrays_of(planned_task const& task) const {
  auto* const memory = residences_[task.job->devices[task.share]]->memory();
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

}  // namespace ballast::inline job
