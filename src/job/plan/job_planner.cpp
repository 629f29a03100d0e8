// SPDX-License-Identifier: Apache-2.0
#include "plan/job_planner.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <utility>

#include "ballast/error.hpp"
#include "plan/job_failed.hpp"
#include "plan/job_units.hpp"

namespace ballast::detail {
namespace {

/// Of the jobs that are not completely planned, plan_jobs() examines at most this many, the oldest. It passes
/// over some more that could not begin, since the device that they name has enough to do.
constexpr int max_jobs_examined = 16, max_jobs_passed = 256;
constexpr std::size_t max_busy_times = 16;
constexpr std::size_t max_jobs_described = 8;

op_stream other_compute_stream(op_stream of) {
  auto const is_first = of.stream == std::uint32_t(device_stream::compute_0);
  return stream_of(of.executor, is_first ? device_stream::compute_1 : device_stream::compute_0);
}

}  // namespace

job_planner::job_planner(operations& ops, std::vector<planned_device> devices, copy_links links,
                         job_options const& options, work_sink& sink, retired_objects& retired)
    : ops_(ops),
      devices_(std::move(devices)),
      options_(options),
      sink_(sink),
      retired_(retired),
      arrays_(ops_, devices_, std::move(links), options_, sink_, retired_),
      on_devices_(devices_.size()) {}

void job_planner::add(std::shared_ptr<job_record> const& job) {
  order_.add(job->number, job->own, [this, of = job.get()](job_part part) {
    auto const uses = of->uses_or_failure(part);
    if (of->failure) note_end_before_begin(*of);
    return *uses;
  });
  newest_turn_ = job->number;
  ++statistics_.submitted;
  jobs_.push_back(job);
  if (job->is_planned()) note_end_before_begin(*job);
}

/// Takes a place in the order, as a job of one unit would.
job_number job_planner::take_turn(array_use const& use) {
  newest_turn_ = next_turn();
  order_.add(newest_turn_, {0, 1}, [use](job_part) { return std::vector{use}; });
  return newest_turn_;
}

/// Records a host write as an operation that has already ended.
void job_planner::record_host_write(array_state& array, byte_range bytes, place_id at) {
  auto const op = ops_.add(op_kind::host_access, host_stream(0));
  array.directory.record_write(op, at, bytes);
  ops_.mark_issued(op);
  ops_.mark_ended(op);
}

/// Plans as much of the oldest jobs as may be planned now.
void job_planner::plan_jobs() {
  int examined = 0, passed = 0;
  for (auto const& job : jobs_) {
    bool const is_passed = !job->is_planned() && job->split == nullptr && !has_room_on_named(*job);
    if (is_passed && ++passed > max_jobs_passed) return;
    if (is_passed) continue;
    if (!job->is_planned() && ++examined > max_jobs_examined) return;
    plan(job);
  }
}

void job_planner::plan(std::shared_ptr<job_record> const& job) {
  if (!job->is_planned() && (job->split != nullptr || begin(*job))) {
    while (plan_round(job)) {}
    fail_if_stuck(*job);
  }
  if (job->failure) drop_rest(*job);
}

bool job_planner::retire_ended() {
  auto const failed_before = statistics_.failed;
  auto const ended = [&](std::shared_ptr<job_record> const& job) {
    if (!job->has_ended() || (job->failure && !drop_rest(*job))) return false;
    ++statistics_.ended;
    if (job->failure) ++statistics_.failed;
    if (job->failure && job->failure->stopped_with != 0)
      ended_by_stop_.push_back({job->end, {.first = job->number.value()}});
    job->complete();
    retire(job);
    return true;
  };
  auto const last = end_of_begun();
  auto const first_ended = std::remove_if(jobs_.begin(), last, ended);
  jobs_.erase(first_ended, last);
  return statistics_.failed != failed_before;
}

/// Hands over an ended job to be freed. No executor would look for one that ran nothing, so the next holder
/// of the mutex frees it.
void job_planner::retire(std::shared_ptr<job_record> const& job) {
  if (job->has_run())
    job->is_last_with_an_array() ? retired_.with_arrays.push_back(job) : retired_.jobs.push_back(job);
  else
    retired_.any.push_back(job);
}

/// The end of the jobs among which all that have begun are. plan_jobs() has looked at no job behind these
/// limits of waiting ones, so none has begun there. A submission costs the same however many jobs wait. Jobs
/// that end without having begun are recorded.
auto job_planner::end_of_begun() -> std::deque<std::shared_ptr<job_record>>::iterator {
  int waiting = 0, naming = 0;
  return std::ranges::find_if(jobs_, [&](auto const& job) {
    if (job->number <= newest_ended_unbegun_ || job->split != nullptr || job->has_run() || job->is_planned())
      return false;
    return job->request.setup.device ? ++naming > max_jobs_passed + max_jobs_examined
                                     : ++waiting > max_jobs_examined;
  });
}

/// Records that the job ended without having begun: it has no units, or its map throws when it is asked for
/// the written elements.
void job_planner::note_end_before_begin(job_record const& job) {
  if (newest_ended_unbegun_ < job.number) newest_ended_unbegun_ = job.number;
}

/// True if the device takes another task of a job with `own_tasks` tasks there. It takes a new job only when
/// few tasks of others are left, so a policy knows the results of earlier runs when it begins the next one.
bool job_planner::has_room(device_in_use const& on, std::uint32_t own_tasks) const {
  return !on.lacks_memory && on.tasks - own_tasks < options_.in_flight;
}

bool job_planner::may_begin() const {
  auto const takes_one = [&](device_in_use const& on) { return !on.is_lost && has_room(on, 0); };
  return std::ranges::any_of(on_devices_, takes_one) || are_all_lost();
}

/// False if the job names a device that takes no new job now.
bool job_planner::has_room_on_named(job_record const& job) const {
  auto const named = job.request.setup.device;
  return !named || on_devices_[*named].is_lost || has_room(on_devices_[*named], 0);
}

bool job_planner::begin(job_record& job) {
  if (!may_begin() || !has_room_on_named(job)) return false;
  try {
    // Its first part is chosen only now, by what earlier submissions have shown.
    if (job.request.parts != nullptr && order_.blocking_job(job.number, *job.uses(job.own))) return false;
    start_split(job);
  } catch (...) {
    fail(job, {}, {}, std::current_exception());
    return false;
  }
  return true;
}

bool job_planner::are_all_lost() const { return std::ranges::all_of(on_devices_, &device_in_use::is_lost); }

void job_planner::start_split(job_record& job) {
  if (has_stopped_jobs()) std::rethrow_exception(failure_by_stop());  // between two parts
  choose_devices(job);
  auto& site = sites_[job.site()];
  if (site.policy == nullptr) site.policy = make_split_policy(job.policy);
  for (auto device = site.joinable.size(); device < devices_.size(); ++device)
    site.joinable.emplace_back(devices_[device].capabilities.runs_on_cores ? longest_joined_ns_on_cores
                                                                           : longest_joined_ns);
  job.joinable = site.joinable;
  job.split = site.policy->begin(shape_of(job));
}

/// Chooses the devices that run tasks of the job, and the most units of a task on each. CPU cores run ballast
/// kernels only.
void job_planner::choose_devices(job_record& job) {
  if (job.request.parts != nullptr) job.request.parts->begin(job.request);
  job.devices.clear();
  if (job.is_shared = may_share(job); job.is_shared) {
    job.devices.push_back({job.request.shares->of.front().device, 1});
    return;
  }
  for (std::uint32_t device = 0; device < devices_.size(); ++device) {
    if (on_devices_[device].is_lost || job.request.setup.device.value_or(device) != device ||
        (job.request.is_for_gpus && !devices_[device].capabilities.runs_functions) ||
        (job.has_run() && device != job.report.tasks.front().device))  // where its first part left its arrays
      continue;
    auto const most = arrays_.max_units(job, device);
    if (most != 0) job.devices.push_back({device, most});
  }
  if (!job.devices.empty()) return;
  auto const named = job.request.setup.device;
  throw error(named ? device_name(*named) + ", which it names, is lost or lacks memory"
                    : "no device that is not lost can run it");
}

/// True if each device's memory holds its part of the job. Otherwise it runs on one device, as other jobs do.
bool job_planner::may_share(job_record const& job) const {
  auto const& shares = job.request.shares;
  if (shares == nullptr) return false;
  return std::ranges::all_of(shares->of, [&](job_share const& share) {
    return !on_devices_[share.device].is_lost && arrays_.has_room_for(share);
  });
}

job_shape job_planner::shape_of(job_record const& job) const {
  job_shape shape{.units = job.own.count,
                  .tasks = job.tasks,
                  .in_flight = options_.in_flight,
                  .blocks_per_unit = job.grid().blocks_of_unit(),
                  .bytes_per_unit = job.bytes_per_unit()};
  for (auto const& on : job.devices)
    shape.devices.push_back(
        {.max_units = on.max_units,
         .blocks_at_once = job.listed == nullptr ? 0 : job.listed->blocks_at_once[on.device],
         .bytes_per_ns = arrays_.links().between(host_place, place_of(on.device)).bytes_per_ns});
  return shape;
}

/// Plans a task for each device that may have one more, so that devices that begin together are known before
/// anything is copied to them.
bool job_planner::plan_round(std::shared_ptr<job_record> const& job) {
  boost::container::small_vector<std::shared_ptr<planned_task>, 2> tasks;
  for (std::uint32_t device_index = 0; device_index < job->devices.size(); ++device_index)
    if (auto task = next_task(job, device_index)) tasks.push_back(std::move(task));
  bool const any = !tasks.empty();
  try {
    arrays_.broadcast_shared_reads({tasks.data(), tasks.size()});
    for (auto const& task : tasks) plan_task(task);
  } catch (...) { fail(*job, {}, {}, std::current_exception()); }
  return any;
}

std::shared_ptr<planned_task> job_planner::next_task(std::shared_ptr<job_record> const& job,
                                                     std::uint32_t device_index) {
  if (job->failure) return nullptr;
  auto& on = job->devices[device_index];
  if (!has_room(on_devices_[on.device], on.in_flight - (on.deferred ? 1 : 0)) ||
      !job->has_part_for(device_index))
    return nullptr;
  auto task = admit(job, device_index, *on.deferred);
  if (task) on.deferred.reset();
  return task;
}

/// Makes the task of this part, and pins the arrays that it uses; nothing if it must wait or fails. All user
/// functions that may throw are called before anything changes.
auto job_planner::admit(std::shared_ptr<job_record> const& job, std::uint32_t device_index, job_part part)
    -> std::shared_ptr<planned_task> {
  auto const device = job->devices[device_index].device;
  try {
    auto task = std::make_shared<planned_task>(job, device_index, part, job->uses(part));
    if (on_devices_[device].is_lost) throw error("the device is lost");
    if (order_.blocking_job(job->number, *task->uses)) return nullptr;
    check_has_inputs(*task, first_failure_);
    task->pieces = options_.check_maps ? std::vector{task_piece{part, task->uses}} : pieces_of(*task);
    if (job->is_shared) task->share();
    for (auto const& share : task->shares)
      if (is_lost(share.device())) throw error(device_name(share.device()) + " is lost");
    if (auto const full = arrays_.pin(*task)) {
      on_devices_[*full].lacks_memory = true;  // newer jobs take none there
      return nullptr;
    }
    if (job->request.parts == nullptr || job->request.parts->is_last())
      order_.mark_planned(job->number, part);
    return task;
  } catch (...) {
    fail(*job, part, devices_[device].name, std::current_exception());
    return nullptr;
  }
}

/// Plans the copies and the kernels of the task. The ends of its part follow the kernel that wrote their
/// input in one stream, and so begin first. The rest, in the other stream, begins while the few blocks of the
/// ends run.
void job_planner::plan_task(std::shared_ptr<planned_task> const& task) {
  auto const newest = ops_.newest();
  arrays_.fetch_reads(*task);
  bool const needs_copies = ops_.newest() != newest;
  bool const may_join = !needs_copies && may_join_newest(*task);
  auto stream = compute_stream_of(*task, may_join);
  bool const joins = may_join && stream == on_devices_[task->device()].newest.on;
  for (std::size_t i = 0; i < task->pieces.size(); ++i) {
    if (i != 0 && i + 1 == task->pieces.size()) stream = other_compute_stream(stream);
    auto const kernel = ops_.add(op_kind::kernel, stream);
    arrays_.record_uses(*task, task->pieces[i], kernel);
    note_newest(*task, kernel, stream, joins);
    sink_.take(kernel_work{kernel, task, i, joins});
  }
  ++task->job->tasks_in_flight;
  ++on_devices_[task->device()].tasks;
}

/// The number of units that its device runs concurrently; 0 if unknown.
std::uint64_t job_planner::units_at_once(planned_task const& task) const {
  auto const& job = *task.job;
  if (job.listed == nullptr) return 0;
  return job.listed->blocks_at_once[task.device()] / std::max<std::uint64_t>(job.grid().blocks_of_unit(), 1);
}

/// True if the task is short and adjacent to the newest kernel of its device, which has the same arrays and
/// was not issued yet. The executor sees other obstacles when it issues.
bool job_planner::may_join_newest(planned_task const& task) const {
  auto const& newest = on_devices_[task.device()].newest;
  auto const& job = *task.job;
  if (newest.newest == op_id() || newest.job != job.number || task.pieces.size() > 1 || options_.check_maps ||
      !sink_.waits_to_be_issued(newest.newest))
    return false;
  auto const units = newest.extent.part.count + task.part.count;
  return job.joinable[task.device()].has_room_for(units, units_at_once(task)) &&
         newest.extent.can_take(task.extent(nullptr));
}

void job_planner::note_newest(planned_task const& task, op_id kernel, op_stream on, bool is_joined) {
  auto& newest = on_devices_[task.device()].newest;
  bool const is_whole_job = task.part == task.job->own;
  if (task.pieces.size() > 1 || is_whole_job) {
    newest = {};
    return;
  }
  newest.newest = kernel;
  auto extent = task.extent(nullptr);
  if (is_joined) return newest.extent.take(extent);
  newest.on = on, newest.job = task.job->number, newest.extent = std::move(extent);
}

void job_planner::fail(job_record& job, job_part part, std::string const& device,
                       std::exception_ptr const& why) {
  bool const is_by_stop = has_stopped_jobs() && (is_failure_by_stop(why) || is_failure_of_source(why));
  job.fail({part, device, cause_of(is_by_stop ? failure_by_stop() : why), is_by_stop ? stopped_jobs_ : 0});
  if (!first_failure_) first_failure_ = "job " + job.display_name() + ": " + cause_of(why);
  drop_rest(job);
}

/// Drops the unplanned parts of a failed job; true if none is left. Older jobs go first: they access the
/// bytes that it should have written as if it had not failed yet.
bool job_planner::drop_rest(job_record const& job) {
  auto const dropped = order_.drop_behind_earlier(job.number);
  job.lose(dropped);
  return order_.is_planned(job.number);
}

/// Fails the job if its policy gives units to no device although no task is in flight, for then its answer is
/// final.
void job_planner::fail_if_stuck(job_record& job) {
  if (job.is_planned() || job.tasks_in_flight != 0) return;
  for (auto const& on : job.devices)
    if (on.deferred || !has_room(on_devices_[on.device], 0)) return;
  fail(job, {}, {},
       std::make_exception_ptr(error("policy " + job.policy + " gave " +
                                     counted(job.split->unissued(), "unit") + " to no device")));
}

/// A task uses the stream of the kernel whose results it reads, so that it begins as soon as that kernel
/// ends. One that may be joined uses the stream of the kernel that it joins. Other tasks alternate, so that
/// the tail of one kernel and the beginning of the next share the device.
op_stream job_planner::compute_stream_of(planned_task const& task, bool may_join) {
  if (auto const writer = arrays_.newest_writer(task); writer != op_id()) return ops_.at(writer).on;
  auto const device = task.device();
  if (may_join) return on_devices_[device].newest.on;
  auto const even = on_devices_[device].kernels++ % 2 == 0;
  return stream_of(device, even ? device_stream::compute_0 : device_stream::compute_1);
}

void job_planner::handle_end(planned_work const& work, std::uint32_t device, ended_operation const& end,
                             bool failed) {
  if (end.failure && is_a<device_lost>(end.failure)) lose_device(device);
  if (auto const* const kernel = std::get_if<kernel_work>(&work))
    return handle_kernel_end(*kernel, device, end, failed);
  auto const& copy = std::get<copy_work>(work);
  arrays_.handle_copy_end(copy, device, end, failed);
}

void job_planner::release_task(std::uint32_t device, planned_task const& task) {
  --task.job->tasks_in_flight;
  --task.job->devices[task.device_index].in_flight;
  --on_devices_[device].tasks;
  arrays_.release(task);
}

void job_planner::handle_kernel_end(kernel_work const& kernel, std::uint32_t device,
                                    ended_operation const& end, bool failed) {
  auto& task = *kernel.task;
  auto& piece = task.pieces[kernel.piece];
  piece.begin_ns = end.begin_ns, piece.end_ns = end.end_ns;
  failed ? handle_piece_failure(task, piece, end) : note_length(task, end);
  if (++task.pieces_ended < task.pieces.size()) return;
  release_task(device, task);
  if (task.has_failed) return;
  auto const end_ns = task.end_ns();
  handle_task_end(
      device, task,
      {.op = end.op, .begin_ns = end_ns - task.busy_ns(), .end_ns = end_ns, .joined = end.joined});
}

void job_planner::note_length(planned_task const& task, ended_operation const& end) const {
  auto const& all = end.joined;
  bool const is_noted = all && end.begin_ns != all->begin_ns;  // with the first of its tasks
  if (task.pieces.size() > 1 || is_noted) return;
  task.job->joinable[task.device()].note(all ? all->part.count : task.part.count, units_at_once(task),
                                         all ? all->end_ns - all->begin_ns : end.end_ns - end.begin_ns);
}

void job_planner::handle_task_end(std::uint32_t device, planned_task const& task,
                                  ended_operation const& end) {
  auto& job = *task.job;
  ++statistics_.tasks;
  record_span(job, device, end);
  job.note_end(task, end, was_alone(device, job.number, end));
  if (job.request.parts != nullptr) job.end_part(end.end_ns - end.begin_ns + copies_ns(task));
}

/// How long the copies before a part took, by the links' rates. Those between its jobs are in its own time.
std::int64_t job_planner::copies_ns(planned_task const& task) const {
  auto const own = place_of(task.device());
  auto const peer = task.shares.empty() ? host_place : place_of(task.shares.front().device());
  auto const& links = arrays_.links();
  auto const inside = task.job->is_shared ? task.job->request.shares->bytes_between : 0;
  auto const& moved = task.moved;
  return std::llround(double(moved.from_host + moved.to_host) / links.between(host_place, own).bytes_per_ns +
                      double(moved.between_devices - inside) / links.between(peer, own).bytes_per_ns);
}

void job_planner::record_span(job_record const& job, std::uint32_t device, ended_operation const& end) const {
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

void job_planner::handle_piece_failure(planned_task& task, task_piece const& piece,
                                       ended_operation const& end) {
  auto& job = *task.job;
  task.has_failed = true;
  for (std::size_t i = 0; i < piece.uses->size(); ++i)
    (*piece.uses)[i].written.for_each_interval([&](byte_range bytes) {
      job.request.arguments[i].array->directory.record_loss(end.op, bytes, job.number);
    });
  auto const why = end.failure ? end.failure : failure_of_source();
  fail(job, end.failure && end.joined ? end.joined->part : piece.part, devices_[task.device()].name, why);
}

/// True if no kernel of another job that has ended by now ran on the device meanwhile.
bool job_planner::was_alone(std::uint32_t device, job_number job, ended_operation const& end) {
  auto& latest = on_devices_[device].latest;
  auto const own = end.joined ? busy_time{job, end.joined->begin_ns, end.joined->end_ns}
                              : busy_time{job, end.begin_ns, end.end_ns};
  auto const met = std::ranges::any_of(latest, [&](busy_time const& other) {
    return other.job != job && other.begin_ns < own.end_ns && own.begin_ns < other.end_ns;
  });
  if (!latest.empty() && latest.back() == own) return !met;
  if (latest.size() == max_busy_times) latest.erase(latest.begin());
  latest.push_back(own);
  return !met;
}

/// Marks the device as lost. Jobs with tasks on it lose the output of these tasks when the tasks end. Other
/// data that only this device held is lost too, but by no job.
void job_planner::lose_device(std::uint32_t device) {
  if (!std::exchange(on_devices_[device].is_lost, true)) arrays_.lose_device(device);
}

void job_planner::stop() {
  stopped_ = true;
  for (auto const& job : jobs_) {
    fail(*job, {}, {}, std::make_exception_ptr(error("it had not ended when its scheduler went")));
    job->lose(order_.drop(job->number));  // older host accesses end with the scheduler
  }
}

/// From now on, jobs that fail because of a source fail because that source was stopped.
void job_planner::stop_jobs() {
  stopped_jobs_ = std::max<std::uint64_t>(jobs_.size(), 1);
  for (auto const& job : jobs_)
    if (!job->is_planned()) fail(*job, {}, {}, failure_by_stop());
}

std::vector<completion> job_planner::take_stopped() {
  std::ranges::sort(ended_by_stop_, {}, [](completion const& job) { return job.work().first; });
  return std::exchange(ended_by_stop_, {});
}

void job_planner::abandon(std::exception_ptr const& why) {
  for (auto const& job : jobs_) fail(*job, {}, {}, why);
}

void job_planner::complete_all_jobs() {
  for (auto const& job : jobs_) job->complete();
}

void job_planner::forget_jobs() {
  retired_.jobs.insert(retired_.jobs.end(), jobs_.begin(), jobs_.end());
  jobs_.clear();
}

job_statistics job_planner::statistics() const {
  auto all = statistics_;
  all.moved = arrays_.moved();
  return all;
}

std::string job_planner::state_of_jobs(std::int64_t now_ns) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(jobs_.size(), max_jobs_described); ++i)
    text += (i == 0 ? "oldest job: " : "job: ") + jobs_[i]->state(devices_, now_ns);
  if (jobs_.size() <= max_jobs_described) return text;
  return text + "and " + counted(jobs_.size() - max_jobs_described, "newer job") + "\n";
}

}  // namespace ballast::detail
