// SPDX-License-Identifier: Apache-2.0
#include "split_pooled.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::detail {
namespace {

constexpr double work_ahead_ns = 100e3;  // hides the way to the host and back, some 10 us, many times over

}  // namespace

std::optional<job_part> pooled_split::choose(std::uint32_t device, std::uint32_t in_flight) {
  auto const most = std::min(unissued(), shape().devices[device].max_units);
  auto const units = std::clamp(wanted_units(device), std::uint32_t{1}, most);
  if (in_flight >= tasks_ahead(device, units)) return std::nullopt;
  job_part const part{taken_, units};
  taken_ += units;
  return part;
}

/// How many tasks of `units` the device may have at once.
std::uint32_t pooled_split::tasks_ahead(std::uint32_t device, std::uint32_t units) const {
  if (shape().devices.size() == 1) return max_tasks_in_flight;
  auto const tasks = std::ceil(work_ahead_ns * speed(device) / units);
  return std::max(shape().in_flight,
                  static_cast<std::uint32_t>(std::min<double>(tasks, max_tasks_in_flight)));
}

}  // namespace ballast::detail
