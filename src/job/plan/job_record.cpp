// SPDX-License-Identifier: Apache-2.0
#include "plan/job_record.hpp"

#include <algorithm>
#include <utility>

#include "arrays/byte_runs.hpp"
#include "ballast/detail/base/age.hpp"
#include "ballast/error.hpp"
#include "ballast/trace.hpp"

namespace ballast::detail {
namespace {

std::string name_of(job_request const& request) {
  return request.setup.name.empty() ? request.kernel_name : request.setup.name;
}

byte_runs bytes_of(job_argument const& argument, std::uint32_t units, job_part part) {
  auto const& array = *argument.array;
  return {argument.map.of({part, units, array.shape}), array.shape, array.element_bytes};
}

std::string tasks_by_device(job_record const& job, std::vector<planned_device> const& all) {
  std::string text;
  for (auto const& on : job.devices) {
    auto const kept = on.deferred ? 1u : 0u;
    text += ", " + all[on.device].name + " has " + std::to_string(on.in_flight - kept) +
            (on.deferred ? " and one that waits for earlier jobs" : "");
  }
  return text;
}

std::string failure_of(job_record const& job) {
  if (!job.failure) return {};
  return job.has_ended() ? ", failed, and earlier jobs have yet to use what it was to write" : ", failed";
}

}  // namespace

std::string display_name_of(std::string const& name, job_number number) {
  return "'" + name + "' (number " + std::to_string(number.value()) + ")";
}

array_uses uses_of(job_request const& request, job_part part) {
  std::vector<array_use> found;
  found.reserve(request.arguments.size());
  for (auto const& argument : request.arguments) {
    auto bytes = bytes_of(argument, request.setup.grid.units(), part);
    auto& use = found.emplace_back(array_use{argument.array->id, {}, {}});
    if (argument.reads() && argument.writes()) use.written = bytes;
    (argument.reads() ? use.read : use.written) = std::move(bytes);
  }
  return std::make_shared<std::vector<array_use> const>(std::move(found));
}

job_record::job_record(job_number its_number, job_request its_request, array_uses whole,
                       listed_code const* its_listed, std::string its_policy, std::uint32_t its_tasks,
                       std::weak_ptr<described_work const> all, clock::duration timeout)
    : number(its_number),
      request(std::move(its_request)),
      listed(its_listed),
      policy(std::move(its_policy)),
      tasks(its_tasks),
      end(std::make_shared<job_end>(
          std::move(all), job_report{.name = name_of(request), .policy = policy, .submitted_ns = now_ns()},
          number, timeout)),
      own{0, units()},
      report(end->report()),
      whole_uses_(std::move(whole)) {}

std::string job_record::display_name() const { return display_name_of(report.name, number); }

void job_record::renumber(job_number to) {
  number = to;
  end->renumber(to);
}

job_site site_of(job_request const& request, std::string const& policy) {
  auto const& grid = request.setup.grid;
  auto const& blocks = grid.blocks();
  auto const site = request.setup.learning_key == 0 ? request.factory : request.setup.learning_key;
  return {site, blocks.x, blocks.y, blocks.z, int(grid.along()), policy, request.setup.device};
}

array_uses job_record::uses(job_part part) const {
  if (part == job_part{0, units()}) return whole_uses_;
  return uses_of(request, part);
}

/// Calls the map again: if the map has begun to fail, the job fails here and not once a thread waits for its
/// elements.
array_uses job_record::uses_or_failure(job_part part) {
  try {
    return uses_of(request, part);
  } catch (...) {
    fail({part, "", cause_of(std::current_exception())});
    return conservative_uses(part);
  }
}

array_uses job_record::conservative_uses(job_part part) const {
  try {
    return uses(part);
  } catch (...) { return whole_uses_; }
}

void job_record::measure_arguments() {
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    auto const& argument = request.arguments[i];
    auto const& all = (*whole_uses_)[i];
    auto const of_all = (argument.reads() ? all.read : all.written).bytes();
    auto const of_one = units() == 1 ? of_all : bytes_of(argument, units(), {0, 1}).bytes();
    shared_by_units_.push_back(units() > 1 && of_one == of_all);
    if (!shared_by_units_.back()) bytes_per_unit_ += of_one;
  }
}

bool job_record::read_in_common(std::uint32_t unit, std::uint32_t other) const {
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    auto const& argument = request.arguments[i];
    if (!argument.reads() || is_shared_by_units(i)) continue;
    if (bytes_of(argument, units(), {unit, 1}).overlaps(bytes_of(argument, units(), {other, 1}))) return true;
  }
  return false;
}

std::vector<needed_bytes> needs_of(std::vector<array_use> const& uses) {
  std::vector<needed_bytes> needs;
  for (auto const& use : uses) {
    auto const hull = joined(use.read.hull(), use.written.hull());
    auto const same = std::ranges::find(needs, use.array, &needed_bytes::array);
    if (same == needs.end())
      needs.push_back({use.array, hull});
    else
      same->hull = joined(same->hull, hull);
  }
  return needs;
}

std::size_t job_record::memory_of(job_part part) const {
  std::size_t sum = 0;
  for (auto const& need : needs_of(*uses(part))) sum += detail::memory_of(need.hull);
  return sum;
}

void job_record::lose(std::vector<job_part> const& unplanned) const {
  for (auto const part : unplanned) {
    auto const uses = conservative_uses(part);
    for (std::size_t i = 0; i < uses->size(); ++i)
      (*uses)[i].written.for_each_interval(
          [&](byte_range bytes) { request.arguments[i].array->directory.record_unwritten(bytes, number); });
  }
}

std::string job_record::state(std::vector<planned_device> const& all, std::int64_t now_ns) const {
  auto const left = split == nullptr ? own.count : split->unissued();
  return display_name() + ", submitted " + text_of_age(double(now_ns - report.submitted_ns)) +
         " ago: " + counted(left, "unit") + " not given out, " + counted(tasks_in_flight, "task") +
         " in flight, " + std::to_string(report.tasks.size()) + " ended" + tasks_by_device(*this, all) +
         failure_of(*this) + "\n";
}

bool job_record::is_last_with_an_array() const {
  auto const& all = request.arguments;
  return std::ranges::any_of(all, [&](job_argument const& argument) {
    return argument.array.use_count() <= std::ranges::count(all, argument.array, &job_argument::array);
  });
}

void job_record::move_arrays_to(std::vector<std::shared_ptr<void const>>& list) {
  for (auto& argument : request.arguments) list.push_back(std::move(argument.array));
}

bool job_record::is_planned() const {
  if (failure || own.count == 0) return true;
  return split != nullptr && split->unissued() == 0 &&
         std::ranges::none_of(devices, [](auto const& on) { return on.deferred.has_value(); });
}

/// Policies count from the first unit of this rank.
bool job_record::has_part_for(std::uint32_t device_index) {
  auto& on = devices[device_index];
  if (on.deferred) return true;
  on.deferred = split->next(device_index, on.in_flight);
  if (!on.deferred) return false;
  on.deferred->first += own.first;
  ++on.in_flight;
  return true;
}

void job_record::note_end(planned_task const& task, ended_operation const& its_end, bool alone) {
  report.moved += task.moved;
  report.tasks.push_back({task.device(), task.part, task.moved, its_end.begin_ns, its_end.end_ns});
  for (auto const& share : task.shares)
    report.tasks.push_back({share.device(), task.part, {}, its_end.begin_ns, its_end.end_ns});
  split->ended(task.device_index, {.part = {task.part.first - own.first, task.part.count},
                                   .begin_ns = its_end.begin_ns,
                                   .end_ns = its_end.end_ns,
                                   .bytes_in = task.own_bytes,
                                   .bytes_out = task.moved.to_host,
                                   .alone = alone});
}

void job_record::end_part(std::int64_t ns) {
  request.parts->end(ns, is_shared);
  if (!request.parts->is_last()) split = nullptr;  // so the next part begins, as a job does
}

void job_record::fail(job_failure why) {
  if (!failure) failure = std::move(why);
}

void job_record::complete() {
  if (!report.tasks.empty()) {
    report.begin_ns = std::ranges::min(report.tasks, {}, &task_report::begin_ns).begin_ns;
    report.end_ns = std::ranges::max(report.tasks, {}, &task_report::end_ns).end_ns;
  }
  end->complete(failure);
}

void planned_task::share() {
  auto const& all = job->request.shares->of;
  for (auto const& one : all) {
    auto of_one = std::make_shared<std::vector<array_use> const>(one.uses);
    if (&one == &all.front())
      uses = std::move(of_one);
    else
      shares.push_back({.job = job,
                        .device_index = device_index,
                        .part = part,
                        .uses = std::move(of_one),
                        .share_on = one.device});
  }
}

resident_bytes const& planned_task::resident_of(std::size_t argument) const {
  return *std::ranges::find(residents, (*uses)[argument].array, &resident_bytes::array);
}

task_extent planned_task::extent(std::byte* memory) const {
  task_extent found{.part = part};
  found.arrays.reserve(uses->size());
  for (std::size_t i = 0; i < uses->size(); ++i) {
    auto const& resident = resident_of(i);
    auto const nth = std::size_t(&resident - residents.data());
    auto* const base = job->request.arguments[i].array->memory_at(place(), memory);
    auto const first = reinterpret_cast<std::uintptr_t>(base) + resident.offset - first_bytes[nth];
    auto const is_empty = (*uses)[i].read.is_empty() && (*uses)[i].written.is_empty();
    found.arrays.push_back(is_empty ? array_address() : first);
  }
  return found;
}

std::int64_t planned_task::end_ns() const { return std::ranges::max(pieces, {}, &task_piece::end_ns).end_ns; }

std::int64_t planned_task::busy_ns() const {
  if (pieces.size() == 1) return pieces.front().end_ns - pieces.front().begin_ns;
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

void job_end::complete(std::optional<job_failure> failure) {
  failure_ = std::move(failure);
  complete_.store(true, std::memory_order_release);
  wake_event_.notify();
}

bool job_end::notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) {
  wake_event_.forward_to(listener);
  return true;
}

void job_end::wait(completion_key const& job, deadline until) {
  nvtx_range const shown("wait for a job");
  for (auto seen = wake_event_.epoch(); !has_ended(job); seen = wake_event_.epoch())
    if (!wake_event_.spin_then_wait_past(seen, until) && !has_ended(job)) throw_timed_out();
  if (failure_ && failure_->stopped_with != 0)
    throw stopped("job " + display_name_of(report_.name, number_) + ": " + failure_->cause,
                  failure_->stopped_with);
  if (failure_)
    throw job_failed(display_name_of(report_.name, number_), failure_->part, failure_->device,
                     failure_->cause);
}

void job_end::throw_timed_out() const {
  auto const all = all_.lock();
  throw timed_out("job " + display_name_of(report_.name, number_) + " to end",
                  all ? all->state() : "the scheduler is gone\n");
}

}  // namespace ballast::detail
