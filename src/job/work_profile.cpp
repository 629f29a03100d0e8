// SPDX-License-Identifier: Apache-2.0
#include "work_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace ballast::detail {
namespace {

constexpr std::uint32_t max_cells = 1024;
constexpr std::size_t tasks_to_compare = 4;
constexpr int rounds_of_speeds = 8;
constexpr double min_work = 1e-9;  // of a unit, beside 1 for the mean one: nothing is divided by 0

/// Tasks that a device ended one after the other.
struct task_group {
  std::span<ended_task const> tasks;
  double ns;  ///< of all, as far as none before them ran
};

std::vector<task_group> grouped(device_run const& run, std::size_t size) {
  std::vector<task_group> groups;
  auto before_ns = run.begin_ns;
  for (std::size_t i = 0; i < run.ended.size(); i += size) {
    std::span const tasks(&run.ended[i], std::min(size, run.ended.size() - i));
    auto const begin_ns = std::max(std::ranges::min(tasks, {}, &ended_task::begin_ns).begin_ns, before_ns);
    before_ns = std::max(before_ns, std::ranges::max(tasks, {}, &ended_task::end_ns).end_ns);
    groups.push_back({tasks, double(std::max<std::int64_t>(before_ns - begin_ns, 1))});
  }
  return groups;
}

std::uint32_t steps_of(task_group const& group, std::uint32_t units_per_step) {
  std::uint32_t steps = 0;
  for (auto const& task : group.tasks) steps += whole_steps(task.part.count, units_per_step);
  return steps;
}

double unevenness_of(std::vector<task_group> const& groups, std::uint32_t units_per_step) {
  double steps = 0, ns = 0, deviation_ns = 0;
  for (auto const& group : groups) steps += steps_of(group, units_per_step), ns += group.ns;
  for (auto const& group : groups)
    deviation_ns += std::abs(group.ns - steps_of(group, units_per_step) * ns / steps);
  return deviation_ns / ns;
}

/// Single tasks; pairs where the device seems to have carried out two at a time, as it does with those that
/// do not fill it: then the second one of each ends with the first.
std::vector<task_group> groups_of(device_run const& run) {
  auto singles = grouped(run, 1), pairs = grouped(run, 2);
  return unevenness_of(pairs, 1) < unevenness_of(singles, 1) / 2 ? pairs : singles;
}

/// Of values with weights; 0 without any.
double weighted_median(std::vector<std::pair<double, double>> all) {
  std::ranges::sort(all);
  double sum = 0, below = 0;
  for (auto const& [value, weight] : all) sum += weight;
  for (auto const& [value, weight] : all)
    if ((below += weight) >= sum / 2) return value;
  return 0;
}

}  // namespace

work_profile::work_profile(std::uint32_t units, std::size_t devices)
    : units_per_cell_(std::max(1.0, double(units) / max_cells)),
      cells_(std::min(units, max_cells), units_per_cell_),
      speeds_(devices, 1) {}

/// In the order of their units.
auto work_profile::timed_parts(finished_job const& run) -> std::vector<timed_part> {
  std::vector<timed_part> parts;
  for (std::size_t device = 0; device < run.devices.size(); ++device)
    for (auto const& group : groups_of(run.devices[device]))
      for (auto const& task : group.tasks)
        parts.push_back({device, task.part, group.ns / steps_of(group, 1) * task.part.count});
  std::ranges::sort(parts, {}, [](timed_part const& one) { return one.part.first; });
  return parts;
}

double work_profile::work_before(double unit) const {
  auto const cell = std::min(static_cast<std::size_t>(unit / units_per_cell_), cells_.size());
  auto const whole = std::accumulate(cells_.begin(), cells_.begin() + std::ptrdiff_t(cell), 0.0);
  if (cell == cells_.size()) return whole;
  return whole + cells_[cell] * (unit / units_per_cell_ - double(cell));
}

double work_profile::work_of(job_part part) const {
  return work_before(double(part.first) + part.count) - work_before(part.first);
}

/// Keeps the proportions that are known within the part. A cell that other parts share changes as far as it
/// lies in this one.
void work_profile::set_work(job_part part, double work) {
  auto const change = work / work_of(part) - 1;
  double const end = double(part.first) + part.count;
  auto const first = static_cast<std::size_t>(part.first / units_per_cell_);
  for (auto cell = first; cell < cells_.size() && double(cell) * units_per_cell_ < end; ++cell) {
    auto const begins = std::max(double(cell) * units_per_cell_, double(part.first));
    auto const ends = std::min(double(cell + 1) * units_per_cell_, end);
    auto const now = cells_[cell] * (1 + change * std::max(ends - begins, 0.0) / units_per_cell_);
    cells_[cell] = std::max(now, min_work * units_per_cell_);
  }
}

void work_profile::learn_work(std::vector<timed_part> const& parts) {
  for (auto const& one : parts) set_work(one.part, one.ns * speeds_[one.device]);
}

/// The speed at which its parts have as much work for each unit as their neighbours.
double work_profile::speed_beside_others(std::size_t device, std::vector<timed_part> const& parts) const {
  std::vector<std::pair<double, double>> speeds;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto const *own = &parts[i - 1], *other = &parts[i];
    if (own->device != device) std::swap(own, other);
    if (own->device != device || other->device == device) continue;
    auto const work = other->ns * speeds_[other->device] / other->part.count * own->part.count;
    speeds.emplace_back(work / own->ns, std::min(own->ns, other->ns));
  }
  return speeds.empty() ? speeds_[device] : weighted_median(std::move(speeds));
}

void work_profile::learn_from_mixed_parts(finished_job const& run) {
  auto const parts = timed_parts(run);
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    if (run.devices[device].units > 0)
      speeds_[device] = run.devices[device].units / run.devices[device].span_ns();
  for (int round = 0; round < rounds_of_speeds; ++round)
    for (std::size_t device = 1; device < speeds_.size(); ++device)
      speeds_[device] = speed_beside_others(device, parts);
  learn_work(parts);
}

double work_profile::change_of_speed(std::size_t device, std::vector<timed_part> const& parts) const {
  std::vector<std::pair<double, double>> changes;
  for (auto const& one : parts)
    if (one.device == device) changes.emplace_back(work_of(one.part) / (one.ns * speeds_[device]), one.ns);
  return changes.empty() ? 1 : weighted_median(std::move(changes));
}

void work_profile::learn_from_ranges(finished_job const& run) {
  auto const parts = timed_parts(run);
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    speeds_[device] *= change_of_speed(device, parts);
  learn_work(parts);
}

std::vector<std::uint32_t> work_profile::shares() const {
  auto const work = std::accumulate(cells_.begin(), cells_.end(), 0.0);
  auto const speed = std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
  auto const units = static_cast<std::uint32_t>(std::llround(units_per_cell_ * double(cells_.size())));
  std::vector<std::uint32_t> shares;
  std::uint32_t begin = 0;
  double sum = 0, wanted = 0;
  std::size_t cell = 0;
  for (auto const each : speeds_) {
    wanted += work * each / speed;
    for (; cell < cells_.size() && sum + cells_[cell] <= wanted; ++cell) sum += cells_[cell];
    auto const within = cell < cells_.size() ? (wanted - sum) / cells_[cell] : 0;
    auto const border = std::llround((double(cell) + within) * units_per_cell_);
    auto const end = std::clamp(static_cast<std::uint32_t>(border), begin, units);
    shares.push_back(end - begin);
    begin = end;
  }
  shares.back() += units - begin;
  return shares;
}

double work_profile::slowest_ns(std::vector<std::uint32_t> const& shares) const {
  double slowest = 0;
  auto const ranges = side_by_side(shares);
  for (std::size_t device = 0; device < ranges.size(); ++device)
    slowest = std::max(slowest, work_of(ranges[device]) / speeds_[device]);
  return slowest;
}

double work_profile::surprise_by(finished_job const& run) const {
  std::vector<double> known_ns(speeds_.size()), ns(speeds_.size());
  for (auto const& one : timed_parts(run)) {
    known_ns[one.device] += work_of(one.part) / speeds_[one.device];
    ns[one.device] += one.ns;
  }
  double most = 0;
  for (std::size_t device = 0; device < ns.size(); ++device)
    if (ns[device] > 0) most = std::max(most, std::abs(ns[device] / known_ns[device] - 1));
  return most;
}

double work_profile::unevenness() const {
  auto const work = std::accumulate(cells_.begin(), cells_.end(), 0.0);
  double deviation = 0;
  for (auto const cell : cells_) deviation += std::abs(cell - work / double(cells_.size()));
  return deviation / work;
}

double unevenness(finished_job const& run, std::vector<std::uint32_t> const& units_per_step) {
  double most = 0;
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    if (run.devices[device].ended.size() < tasks_to_compare) continue;
    auto const groups = groups_of(run.devices[device]);
    most = std::max(most, std::min(unevenness_of(groups, 1), unevenness_of(groups, units_per_step[device])));
  }
  return most;
}

}  // namespace ballast::detail
