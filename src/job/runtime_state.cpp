// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/log.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

std::string counted(std::uint64_t count, std::string const& what) {
  return std::to_string(count) + " " + what;
}

std::string tasks_by_device(job_record const& job, device_list const& devices) {
  std::string text;
  for (std::size_t device_index = 0; device_index < job.device_states.size(); ++device_index) {
    auto const& on = job.device_states[device_index];
    auto const kept = on.deferred ? 1u : 0u;
    text += ", " + devices[job.devices[device_index]]->name() + " has " +
            std::to_string(on.in_flight - kept) + (on.deferred ? " and one that waits for earlier jobs" : "");
  }
  return text;
}

std::string failure_of(job_record const& job) {
  if (!job.failure) return {};
  return job.has_ended() ? ", failed, and earlier jobs have yet to use what it was to write" : ", failed";
}

std::string described(job_record const& job, device_list const& devices) {
  auto const left = job.split == nullptr ? job.units() : job.split->unissued();
  return "job " + job.display_name() + ": " + counted(left, "units not given out, ") +
         counted(job.tasks_in_flight, "tasks in flight, ") + counted(job.report.tasks.size(), "ended") +
         tasks_by_device(job, devices) + failure_of(job) + "\n";
}

}  // namespace

std::string job_runtime::state() const {
  std::lock_guard const hold(mutex_);
  return state_under_mutex();
}

std::string job_runtime::state_under_mutex() const {
  std::string text = counted(jobs_.size(), "unfinished jobs, ") + counted(progress_.size(), "operations\n");
  for (auto const& job : jobs_) text += described(*job, devices_);
  text += oldest_operation();
  for (auto const& device : devices_) text += describe_resident_holder(*device);
  return text;
}

/// Everything comes after older operations only: what hangs shows in the oldest.
std::string job_runtime::oldest_operation() const {
  auto const oldest = std::ranges::min_element(progress_, {}, [](auto const& one) { return one.first; });
  if (oldest == progress_.end()) return {};
  auto const& [op, progress] = *oldest;
  auto const is_kernel = kernels_in_flight_.contains(op);
  return "the oldest operation, number " + std::to_string(op) + ", is a " + (is_kernel ? "kernel" : "copy") +
         " on " + devices_[progress->on().executor]->name() + ", " +
         (progress->is_issued() ? "issued" : "not issued") + "\n";
}

void job_runtime::stop(deadline until) {
  try {
    drain(until);
  } catch (timed_out const&) {
    // The tickets of what is left say so.
  }
  {
    std::lock_guard const hold(mutex_);
    stopped_ = true;
    for (auto const& job : jobs_) {
      fail(*job, {}, {}, std::make_exception_ptr(error("it had not ended when its scheduler went")));
      lose(*job, order_.drop(job->number));  // older accesses of the host end with the scheduler
    }
    changed_.notify();
  }
  for (auto const& executor : executors_) executor->close(until);
  if (std::ranges::all_of(executors_, [](auto const& executor) { return executor->is_at_rest(); }))
    return release_jobs();
  complete_all_tickets();
  leak_self();
}

/// What a device still runs, or will, uses the memory of the arrays, and its streams ring the executors'
/// bells.
void job_runtime::leak_self() {
  static std::mutex mutex;
  static auto* const left_behind = new std::vector<std::shared_ptr<job_runtime>>;
  {
    std::lock_guard const hold(mutex);
    left_behind->push_back(shared_from_this());
  }
  std::string text = "a job scheduler is left behind with its memory: kernels or copies have not ended\n";
  for (auto const& device : devices_) text += describe_resident_holder(*device);
  write_log(log_level::warning, text);
}

/// What is kept here keeps arrays, and they keep this. Arrays may stay for long, their memory on devices need
/// not, unless a block may still be at it.
void job_runtime::release_jobs() {
  bool const all_ended = jobs_.empty();
  complete_all_tickets();
  forget_jobs();
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    if (all_ended && !on_devices_[device].is_lost) residencies_[device]->free_memory();
}

void job_runtime::complete_all_tickets() {
  std::lock_guard const hold(mutex_);
  for (auto const& job : jobs_) job->complete_tickets();
}

void job_runtime::forget_jobs() {
  decltype(kernels_in_flight_) kernels;  // these go when the mutex is free
  decltype(copies_) copies;
  guard const hold(*this);
  retired_.insert(retired_.end(), jobs_.begin(), jobs_.end());
  jobs_.clear();
  kernels.swap(kernels_in_flight_);
  copies.swap(copies_);
  reported_ends_.clear();
}

}  // namespace ballast::detail
