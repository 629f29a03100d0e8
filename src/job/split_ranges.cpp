// SPDX-License-Identifier: Apache-2.0
#include "split_ranges.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::detail {
namespace {

constexpr double task_costs_ns = 8e3;    // each one more, beside its work
constexpr double hidden_costs_ns = 2e3;  // likewise, where the kernels hide behind the copies
constexpr double max_tasks = 64;
constexpr double min_wave_fill = 0.9;
constexpr std::uint32_t runs_to_settle = 2;  // their ranges follow from other parts and from other ranges

/// As many units as fit into the fewest waves of blocks that they fill well; 1 where blocks are unknown.
std::uint32_t units_of_waves(job_shape const& shape, split_device const& device) {
  if (shape.blocks_per_unit == 0 || device.blocks_at_once == 0) return 1;
  for (auto blocks = device.blocks_at_once;; blocks += device.blocks_at_once) {
    auto const units = blocks / shape.blocks_per_unit;
    if (units >= shape.units) return std::max(shape.units, 1u);
    auto const filled = static_cast<double>(units * shape.blocks_per_unit) / static_cast<double>(blocks);
    if (filled >= min_wave_fill) return static_cast<std::uint32_t>(units);
  }
}

std::vector<std::uint32_t> units_of_waves(job_shape const& shape) {
  std::vector<std::uint32_t> units;
  for (auto const& device : shape.devices) units.push_back(units_of_waves(shape, device));
  return units;
}

std::uint32_t units_in_both(job_part one, job_part other) {
  auto const begin = std::max(one.first, other.first);
  auto const end = std::min(one.first + one.count, other.first + other.count);
  return end > begin ? end - begin : 0;
}

std::vector<job_part> ranges_of(finished_job const& run) {
  std::vector<std::uint32_t> shares;
  for (auto const& device : run.devices) shares.push_back(device.units);
  return side_by_side(shares);
}

}  // namespace

learned_ranges::learned_ranges(job_shape const& shape)
    : shape_(shape),
      by_units_(shape, std::vector<std::uint32_t>(shape.devices.size(), 1)),
      by_waves_(shape, units_of_waves(shape)),
      last_ranges_(shape.devices.size()),
      of_unit_(shape.devices.size()) {
  for (auto const& device : shape.devices) grains_.emplace_back(shape.blocks_per_unit, device);
}

device_parts learned_ranges::parts(job_shape const& shape) {
  auto& now = chosen(shape);
  now.move_borders(shape);
  forward_ = !forward_;
  auto const ranges = side_by_side(now.shares());
  device_parts parts;
  for (std::size_t device = 0; device < ranges.size(); ++device) {
    parts.push_back(tasks_of(device, ranges[device]));
    auto const fits = ranges[device].count <= shape.devices[device].max_units;
    if (!fits && !forward_) std::ranges::reverse(parts.back());
  }
  return parts;
}

paced_shares& learned_ranges::chosen(job_shape const& shape) {
  if (runs_ < runs_to_settle || by_waves_.units_per_step() == by_units_.units_per_step()) return by_units_;
  if (by_waves_.shares().empty() && !by_waves_.promise_more_than(by_units_.shares(), shape)) return by_units_;
  if (by_waves_.shares().empty()) in_waves_ = true;
  auto& other = in_waves_ ? by_units_ : by_waves_;
  auto& now = in_waves_ ? by_waves_ : by_units_;
  if (!other.are_better_than(now, shape)) return now;
  in_waves_ = !in_waves_;
  other.forget_time();
  return other;
}

std::vector<job_part> learned_ranges::tasks_of(std::size_t device, job_part range) {
  if (auto const grain = grains_[device].units()) return parts_of_steps(range, range.count, *grain);
  auto const small =
      runs_ == 1 ? grains_[device].trial(range, of_unit_[device].kernels_ns) : std::vector<job_part>();
  if (!small.empty()) range.count = small.front().first - range.first;
  auto tasks = large_tasks_of(device, range);
  tasks.insert(tasks.end(), small.begin(), small.end());
  return tasks;
}

/// n tasks show 1 / n of the copies, for the rest hides behind kernels, and cost something each: the least
/// sum of copies / n + cost * n.
std::vector<job_part> learned_ranges::large_tasks_of(std::size_t device, job_part range) const {
  auto const& known = of_unit_[device];
  auto const units = range.count;
  auto const ns_of_byte = units / shape_.devices[device].bytes_per_ns;
  auto const in_ns = known.bytes_in * ns_of_byte, out_ns = known.bytes_out * ns_of_byte;
  auto const kernels_ns = known.kernels_ns * units;
  auto const cost_ns = std::max(in_ns, out_ns) > kernels_ns ? hidden_costs_ns : task_costs_ns;
  auto const tasks = std::round(std::sqrt((in_ns + out_ns) / cost_ns));
  auto const that_fit = whole_steps(units, shape_.devices[device].max_units);
  auto const count = std::max(static_cast<std::uint32_t>(std::clamp(tasks, 1.0, max_tasks)), that_fit);
  return parts_of_steps(range, count, by_waves_.units_per_step()[device]);
}

void learned_ranges::forget_speeds(finished_job const& run) {
  by_units_.forget_speeds(run);
  by_waves_.forget_speeds(run);
}

void learned_ranges::learn(finished_job const& run) {
  if (run.alone) learn_times(run);
  last_ranges_ = ranges_of(run);
}

void learned_ranges::learn_times(finished_job const& run) {
  if (runs_ < runs_to_settle) forget_speeds(run);
  auto times = busy_ns(run);
  for (std::size_t device = 0; device < times.size(); ++device)
    times[device] = grains_[device].learn(run.devices[device], times[device]);
  by_units_.learn(run, times);
  by_waves_.learn(run, times);
  record_unit_costs(run);
  ++runs_;
}

void learned_ranges::learn_from_probes(finished_job const& run) {
  if (!run.alone || runs_ > 0) return;
  by_units_.learn(run, run.spans_with_copies_ns(shape_));
  record_unit_costs(run);
}

/// Without what was copied only because ranges are others than before.
std::vector<double> learned_ranges::busy_ns(finished_job const& run) const {
  auto times = run.spans_with_copies_ns(shape_);
  auto const moved = moved_bytes(run);
  for (std::size_t device = 0; device < times.size(); ++device) {
    auto const& did = run.devices[device];
    if (moved[device] > 0) times[device] = std::max(static_cast<double>(did.kernels_ns), 1.0);
  }
  return times;
}

/// All of them after the first run, which had no ranges.
std::vector<double> learned_ranges::moved_bytes(finished_job const& run) const {
  std::vector<double> bytes;
  auto const ranges = ranges_of(run);
  for (std::size_t device = 0; device < ranges.size(); ++device) {
    auto const moved = ranges[device].count - units_in_both(ranges[device], last_ranges_[device]);
    bytes.push_back(static_cast<double>(moved) * static_cast<double>(shape_.bytes_per_unit));
  }
  return bytes;
}

void learned_ranges::record_unit_costs(finished_job const& run) {
  auto const moved = moved_bytes(run);
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    auto const& did = run.devices[device];
    auto const bytes_in = std::max(static_cast<double>(did.bytes_in) - moved[device], 0.0);
    if (did.units > 0)
      of_unit_[device] = {bytes_in / did.units, static_cast<double>(did.bytes_out) / did.units,
                          static_cast<double>(did.kernels_ns) / did.units};
  }
}

}  // namespace ballast::detail
