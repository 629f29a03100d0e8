// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "job_failed.hpp"
#include "job_runtime.hpp"
#include "job_units.hpp"

namespace ballast::detail {
namespace {

/// Jobs that are not wholly planned, of which advance() looks at the oldest only.
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
    job->complete();
    retired_.push_back(job);
    return true;
  };
  auto const last = end_of_begun();
  auto const first_ended = std::remove_if(jobs_.begin(), last, ended);
  if (first_ended != last) changed_.notify();
  jobs_.erase(first_ended, last);
  return statistics_.failed != failed_before;
}

/// Behind so many jobs that wait none has begun, as plan_jobs() looked at no other, so that a submission
/// costs the same however many wait. What ends without having begun is noted.
auto job_runtime::end_of_begun() -> std::deque<std::shared_ptr<job_record>>::iterator {
  int waiting = 0;
  return std::ranges::find_if(jobs_, [&](auto const& job) {
    return job->number > newest_ended_unbegun_ && job->split == nullptr && !job->is_planned() &&
           ++waiting > max_jobs_examined;
  });
}

/// A job without units, or one whose map throws when somebody asks what it is to write.
void job_runtime::note_end_before_begin(job_record const& job) {
  if (newest_ended_unbegun_ < job.number) newest_ended_unbegun_ = job.number;
}

void job_runtime::plan_of(std::shared_ptr<job_record> const& job) {
  if (job->split == nullptr && !begin(*job)) return;
  while (plan_round(job)) {}
  fail_if_stuck(*job);
}

/// A device that is at work on other jobs takes a new one only when few of their tasks are left: so a policy
/// knows how the runs before went when it begins the next one.
bool job_runtime::has_room(std::uint32_t device, std::uint32_t own_tasks) const {
  auto const& on = on_devices_[device];
  return !on.lacks_memory && on.tasks - own_tasks < options_.in_flight;
}

bool job_runtime::begin(job_record& job) {
  std::uint32_t with_room = 0;
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    if (!on_devices_[device].is_lost) with_room += has_room(device, 0) ? 1 : 0;
  if (with_room == 0 && !are_all_lost()) return false;
  try {
    start_split(job);
  } catch (...) {
    fail(job, {}, {}, std::current_exception());
    return false;
  }
  return true;
}

bool job_runtime::are_all_lost() const { return std::ranges::all_of(on_devices_, &device_in_use::is_lost); }

void job_runtime::start_split(job_record& job) {
  choose_devices(job);
  auto& policy = policies_[site_of(job)];
  if (policy == nullptr) policy = make_split_policy(job.policy);
  job.split = policy->begin(shape_of(job));
  job.device_states.resize(job.devices.size());
}

/// CPU cores run ballast kernels only.
void job_runtime::choose_devices(job_record& job) {
  for (std::uint32_t device = 0; device < devices_.size(); ++device) {
    if (on_devices_[device].is_lost || (job.code == nullptr && !devices_[device]->is_cuda())) continue;
    auto const most = max_units_on(job, device);
    if (most == 0) continue;
    job.devices.push_back(device);
    job.max_units.push_back(most);
  }
  if (job.devices.empty()) throw error("no device that is not lost can run it");
}

std::uint32_t job_runtime::max_units_on(job_record const& job, std::uint32_t device) const {
  auto const& set = residencies_[device]->set();
  if (set.has_room_for_all_arrays()) return job.units();
  return max_units(job.units(), set.bytes(), [&](job_part part) { return memory_of_part(job, part); });
}

auto job_runtime::site_of(job_record const& job) -> site {
  auto const& blocks = job.grid().blocks();
  auto const number = job.request.setup.site == 0 ? job.request.factory : job.request.setup.site;
  return {number, blocks.x, blocks.y, blocks.z, int(job.grid().along()), job.policy};
}

job_shape job_runtime::shape_of(job_record const& job) const {
  auto const listed = kernels_.find(job.request.kernel);
  job_shape shape{.units = job.units(),
                  .tasks = job.tasks,
                  .in_flight = options_.in_flight,
                  .blocks_per_unit = job.grid().blocks_of_unit(),
                  .bytes_per_unit = job.bytes_per_unit()};
  for (std::size_t device_index = 0; device_index < job.devices.size(); ++device_index) {
    auto const device = job.devices[device_index];
    shape.devices.push_back(
        {.max_units = job.max_units[device_index],
         .blocks_at_once = listed == kernels_.end() ? 0 : listed->second.blocks_at_once[device],
         .bytes_per_ns = sources_.links().between(host_place, place_id(1 + device)).bytes_per_ns});
  }
  return shape;
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

void job_runtime::fail(job_record& job, job_part part, std::string const& device,
                       std::exception_ptr const& why) {
  job.fail({part, device, cause_of(why)});
  drop_rest(job);
}

/// Drops what was not planned of a job that failed. Whether nothing of it is left. Older jobs come first,
/// which read and write what it was to write as if it had not failed yet.
bool job_runtime::drop_rest(job_record const& job) {
  auto const dropped = order_.drop_behind_earlier(job.number);
  lose(job, dropped);
  if (!dropped.empty()) changed_.notify();
  return order_.is_planned(job.number);
}

/// What was not planned will not be written: whoever reads it would take old values for new ones.
void job_runtime::lose(job_record const& job, std::vector<job_part> const& unplanned) {
  for (auto const part : unplanned) {
    auto const uses = job.conservative_uses(part);
    for (std::size_t i = 0; i < uses.size(); ++i)
      uses[i].written.for_each_interval([&](byte_range bytes) {
        job.request.arguments[i].array->directory.record_unwritten(bytes, job.number);
      });
  }
}

/// A policy's answer is final if nothing is in flight.
void job_runtime::fail_if_stuck(job_record& job) {
  if (job.is_planned() || job.tasks_in_flight != 0) return;
  for (std::uint32_t device_index = 0; device_index < job.device_states.size(); ++device_index)
    if (job.device_states[device_index].deferred || !has_room(job.devices[device_index], 0)) return;
  fail(job, {}, {},
       std::make_exception_ptr(error("policy " + job.policy + " gave " +
                                     std::to_string(job.split->unissued()) + " units to no device")));
}

namespace {

byte_runs bytes_of(array_state const& array, index_range elements) {
  return {region({elements}), array.shape, array.element_bytes};
}

index_range checked(array_state const& array, index_range elements) {
  auto const all = array.shape.elements();
  if (elements == every_element) return {0, all};
  if (elements.begin > elements.end || elements.end > all)
    throw_bad_argument("elements", std::to_string(elements.begin) + " to " + std::to_string(elements.end),
                       "0 to " + std::to_string(all) + " of " + array.name());
  return elements;
}

}  // namespace

/// It takes its turn among the jobs, as a job of one unit.
index_range job_runtime::open(std::shared_ptr<array_state> const& array, host_use use, index_range elements,
                              deadline until) {
  auto const range = checked(*array, elements);
  if (range.is_empty()) return range;
  guard hold(*this);
  host_access access{array, use, bytes_of(*array, range), take_turn(*array, use, range)};
  try {
    wait_for_access(access, hold, until);
  } catch (...) {
    end_turn(access);
    throw;
  }
  grant_access(access, range);
  end_turn(access);
  return range;
}

job_number job_runtime::take_turn(array_state const& array, host_use use, index_range elements) {
  auto const bytes = bytes_of(array, elements);
  array_use const all{array.id, use == host_use::write ? byte_runs() : bytes,
                      use == host_use::read ? byte_runs() : bytes};
  auto const number = newest_job_ = job_number(newest_job_.value() + 1);
  order_.add(number, 1, [all](job_part) { return std::vector{all}; });
  return number;
}

void job_runtime::end_turn(host_access const& access) {
  order_.drop(access.turn);
  advance();
  changed_.notify();
}

void job_runtime::wait_for_access(host_access& access, guard& hold, deadline until) {
  for (auto seen = changed_.epoch(); !try_open(access); seen = changed_.epoch()) {
    if (stopped_)
      throw stopped("the scheduler went while the host waited for " + access.array->name(), jobs_.size());
    hold.unlock();
    bool const rung = changed_.wait_past(seen, until.at());
    hold.lock();
    if (rung || try_open(access)) continue;
    auto const state = state_under_mutex();
    throw timed_out("elements of " + access.array->name() + " for the host", state);
  }
}

/// Copies are planned when the turn has come; from then on nothing newer touches the bytes.
bool job_runtime::try_open(host_access& access) {
  auto& array = *access.array;
  auto const writes = access.use != host_use::read, reads = access.use != host_use::write;
  array_use const use{array.id, reads ? access.bytes : byte_runs(), writes ? access.bytes : byte_runs()};
  if (order_.blocking_job(access.turn, {&use, 1})) return false;
  if (reads) fetch_to_host(access);
  auto const hull = access.bytes.hull();
  return (writes ? array.directory.users(host_place, hull) : array.directory.writers(host_place, hull))
      .empty();
}

void job_runtime::fetch_to_host(host_access const& access) {
  auto const& array = *access.array;
  auto const by = losing_job(array.directory, access.bytes);
  if (by == job_number()) throw error("a lost device had elements of " + array.name());
  if (by)
    throw job_failed("number " + std::to_string(by->value()), {}, "",
                     "it was to write elements of " + array.name() + " and failed");
  if (stopped_ && !array.directory.missing(host_place, access.bytes.hull()).empty())
    throw error("elements of " + array.name() + " went with the devices of the scheduler");
  fetch_to(access.array, access.bytes, host_place, {}, {});
}

/// The host has what it wants when nothing else is at it: its operation begins and ends here.
void job_runtime::grant_access(host_access const& access, index_range range) {
  auto& array = *access.array;
  if (access.use != host_use::read) {
    auto const op = ops_.add(op_kind::host_access, {std::uint32_t(devices_.size()), 0});
    array.directory.record_write(op, host_place, access.bytes.hull());
    ops_.mark_issued(op);
    ops_.mark_ended(op);
  }
  if (range.end - range.begin != array.shape.elements() || newest_job_ != access.turn) return;
  array.open.to_read.store(true, std::memory_order_release);
  if (access.use != host_use::read) array.open.to_update.store(true, std::memory_order_release);
}

}  // namespace ballast::detail
