// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "split/split_run.hpp"

namespace ballast::detail {
namespace {

constexpr registry_entry<std::unique_ptr<split_policy> (*)()> choices[] = {
    {{"static", "equal parts, one for each device"}, make_static_split},
    {{"master_worker", "equal tasks, the next one for the device that has room, as published"},
     make_master_worker_split},
    {{"guided", "large tasks first and small ones last, the next one for the device that has room"},
     make_guided_split},
    {{"weighted", "one part for each device, by the speeds that were measured"}, make_weighted_split},
    {{"fixed",
      "as master_worker once, then each task again on its device, as published; moved when times drift"},
     make_fixed_split},
    {{"learned",
      "one range for each device, in as many tasks as its copies want; learned from the runs before (the "
      "default)"},
     make_learned_split}};

void check(split_device const& device) {
  if (device.max_units < 1) throw_bad_argument("max_units", device.max_units, "at least 1");
  if (!(device.bytes_per_ns > 0)) throw_bad_argument("bytes_per_ns", device.bytes_per_ns, "above 0");
}

void check(job_shape const& shape) {
  if (shape.devices.empty()) throw_bad_argument("devices", "none", "at least one");
  if (shape.tasks < 1) throw_bad_argument("tasks", shape.tasks, "at least 1");
  if (shape.in_flight < 1 || shape.in_flight > max_tasks_in_flight)
    throw_bad_argument("in_flight", shape.in_flight, "1 to 64");
  for (auto const& device : shape.devices) check(device);
}

}  // namespace

std::unique_ptr<job_split> split_policy::begin(job_shape const& shape) {
  check(shape);
  return split(shape);
}

std::unique_ptr<split_policy> make_split_policy(std::string_view name) {
  return find(choices, "policy", name)();
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::split_policies() { return descriptions(detail::choices); }
