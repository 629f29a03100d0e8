// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "ballast/error.hpp"
#include "failure_cause.hpp"
#include "job_runtime.hpp"
#include "job_units.hpp"

namespace ballast::detail {

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

void job_runtime::fail(job_record& job, job_part part, std::string const& device,
                       std::exception_ptr const& why) {
  job.fail({part, device, cause_of(why)});
  drop_rest(job);
}

/// Of a job that failed: whether nothing of it is left to be dropped. Older jobs come first, which read and
/// write what it was to write as if it had not failed yet.
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

}  // namespace ballast::detail
