// SPDX-License-Identifier: Apache-2.0
#include "split/work_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "ballast/balance.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t max_cells = 1024;
constexpr std::size_t tasks_to_compare = 4;
constexpr int rounds_of_speeds = 8;
constexpr double min_work = 1e-9;  // the least work of a unit, relative to the mean: prevents division by 0

/// Tasks that a device ended one after another.
struct task_group {
  std::span<ended_task const> tasks;
  double ns;  ///< the time of all of them, without earlier tasks
};

/// The device's tasks, in the order of their ends.
std::vector<ended_task> by_end(device_run const& run) {
  auto tasks = run.ended;
  std::ranges::stable_sort(tasks, {}, &ended_task::end_ns);
  return tasks;
}

std::vector<task_group> grouped(std::span<ended_task const> tasks, std::int64_t begin_ns, std::size_t size) {
  std::vector<task_group> groups;
  auto before_ns = begin_ns;
  for (; !tasks.empty(); tasks = tasks.subspan(std::min(size, tasks.size()))) {
    auto const group = tasks.first(std::min(size, tasks.size()));
    auto const first_ns = std::max(std::ranges::min(group, {}, &ended_task::begin_ns).begin_ns, before_ns);
    before_ns = std::max(before_ns, group.back().end_ns);
    groups.push_back({group, double(std::max<std::int64_t>(before_ns - first_ns, 1))});
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
  if (groups.empty()) return 0;
  for (auto const& group : groups) steps += steps_of(group, units_per_step), ns += group.ns;
  for (auto const& group : groups)
    deviation_ns += std::abs(group.ns - steps_of(group, units_per_step) * ns / steps);
  return deviation_ns / ns;
}

/// Groups of single tasks. Groups of two if the device seems to have run two at a time, as it does with tasks
/// that do not fill it: the second of a pair then ends with the first.
std::vector<task_group> groups_of(std::span<ended_task const> tasks, std::int64_t begin_ns) {
  auto singles = grouped(tasks, begin_ns, 1), pairs = grouped(tasks, begin_ns, 2);
  return unevenness_of(pairs, 1) < unevenness_of(singles, 1) / 2 ? pairs : singles;
}

/// The median of weighted values; 0 without any.
double weighted_median(std::vector<std::pair<double, double>> all) {
  std::ranges::sort(all);
  double sum = 0, below = 0;
  for (auto const& [value, weight] : all) sum += weight;
  for (auto const& [value, weight] : all)
    if ((below += weight) >= sum / 2) return value;
  return 0;
}

/// Calls `use(cell, share)` for each of `cells` cells that a part touches, with the fraction of the cell that
/// the part covers.
void for_each_cell(job_part part, double units_per_cell, std::size_t cells, auto const& use) {
  double const begin = part.first, end = begin + part.count;
  auto cell = static_cast<std::size_t>(begin / units_per_cell);
  for (; cell < cells && double(cell) * units_per_cell < end; ++cell) {
    auto const from = std::max(double(cell) * units_per_cell, begin);
    auto const to = std::min(double(cell + 1) * units_per_cell, end);
    use(cell, std::max(to - from, 0.0) / units_per_cell);
  }
}

/// The speed at which a device's parts have as much work per unit as their neighbours.
double speed_beside_others(std::size_t device, auto const& parts, std::vector<double> const& speeds) {
  std::vector<std::pair<double, double>> all;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto const *own = &parts[i - 1], *other = &parts[i];
    if (own->device != device) std::swap(own, other);
    if (own->device != device || other->device == device) continue;
    auto const work = other->ns * speeds[other->device] / other->part.count * own->part.count;
    all.emplace_back(work / own->ns, std::min(own->ns, other->ns));
  }
  return all.empty() ? speeds[device] : weighted_median(std::move(all));
}

}  // namespace

work_profile::work_profile(std::uint32_t units, std::size_t devices)
    : units_per_cell_(std::max(1.0, double(units) / max_cells)),
      cells_(std::min(units, max_cells), units_per_cell_),
      speeds_(devices) {}

/// The parts of a run and their times, in the order of their units.
auto work_profile::timed_parts(finished_job const& run) -> std::vector<timed_part> {
  std::vector<timed_part> parts;
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    auto const tasks = by_end(run.devices[device]);
    for (auto const& group : groups_of(tasks, run.devices[device].begin_ns))
      for (auto const& task : group.tasks)
        parts.push_back({device, task.part, group.ns / steps_of(group, 1) * task.part.count});
  }
  std::ranges::sort(parts, {}, [](timed_part const& one) { return one.part.first; });
  return parts;
}

double work_profile::work_of(job_part part) const {
  double work = 0;
  for_each_cell(part, units_per_cell_, cells_.size(),
                [&](std::size_t cell, double share) { work += cells_[cell] * share; });
  return work;
}

/// Scales the cells of the part, which keep their known proportions. A cell of which only a share lies in the
/// part changes by that share.
void work_profile::set_work(job_part part, double work) {
  auto const change = work / std::max(work_of(part), min_work * part.count) - 1;
  for_each_cell(part, units_per_cell_, cells_.size(), [&](std::size_t cell, double share) {
    cells_[cell] = std::max(cells_[cell] * (1 + change * share), min_work * units_per_cell_);
  });
}

/// A device of unknown speed counts as the fastest, so that it is tried.
double work_profile::speed_of(std::size_t device) const {
  if (auto const speed = speeds_[device].hoped_steps_per_ns(); speed > 0) return speed;
  auto const fastest = std::ranges::max(speeds_, {}, &device_speed::steps_per_ns).steps_per_ns();
  return fastest > 0 ? fastest : 1;
}

void work_profile::learn_from_mixed_parts(finished_job const& run) {
  auto const parts = timed_parts(run);
  std::vector<double> speeds;
  for (auto const& device : run.devices)
    speeds.push_back(device.units > 0 ? device.units / device.span_ns() : 0);
  for (int round = 0; round < rounds_of_speeds; ++round)
    for (std::size_t device = 1; device < speeds.size(); ++device)
      speeds[device] = speed_beside_others(device, parts, speeds);
  for (std::size_t device = 0; device < speeds.size(); ++device) speeds_[device].learn(speeds[device], 1);
  for (auto const& one : parts) set_work(one.part, one.ns * speeds[one.device]);
}

void work_profile::learn_work(finished_job const& run) {
  for (auto const& one : timed_parts(run)) set_work(one.part, one.ns * speed_of(one.device));
}

void work_profile::learn_speeds(finished_job const& run) {
  std::vector<double> work(speeds_.size()), ns(speeds_.size());
  for (auto const& one : timed_parts(run)) {
    work[one.device] += work_of(one.part);
    ns[one.device] += one.ns;
  }
  for (std::size_t device = 0; device < speeds_.size(); ++device)
    speeds_[device].learn(work[device], std::max(ns[device], 1.0));
}

std::vector<std::uint32_t> work_profile::shares() const {
  std::vector<double> speeds;
  for (std::size_t device = 0; device < speeds_.size(); ++device) speeds.push_back(speed_of(device));
  std::vector<std::uint32_t> shares;
  std::uint32_t begin = 0;
  for (double const cells : ends_in_proportion(costed_items(cells_), speeds)) {
    auto const end = static_cast<std::uint32_t>(std::llround(cells * units_per_cell_));
    shares.push_back(end - std::exchange(begin, end));
  }
  return shares;
}

double work_profile::slowest_ns(std::vector<std::uint32_t> const& shares) const {
  double slowest = 0;
  auto const ranges = side_by_side(shares);
  for (std::size_t device = 0; device < ranges.size(); ++device)
    slowest = std::max(slowest, work_of(ranges[device]) / speed_of(device));
  return slowest;
}

double work_profile::surprise_by(finished_job const& run) const {
  std::vector<double> known_ns(speeds_.size()), ns(speeds_.size());
  for (auto const& one : timed_parts(run)) {
    known_ns[one.device] += work_of(one.part) / speed_of(one.device);
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

double work_profile::deviation(finished_job const& run) const {
  double all_ns = 0, deviation_ns = 0;
  for (auto const& device : run.devices) {
    auto const tasks = by_end(device);
    auto const groups = groups_of(tasks, device.begin_ns);
    std::vector<double> work;
    for (auto const& group : groups) {
      work.push_back(0);
      for (auto const& task : group.tasks) work.back() += work_of(task.part);
    }
    double ns = 0;
    for (auto const& group : groups) ns += group.ns;
    auto const ns_of_work = ns / std::accumulate(work.begin(), work.end(), 0.0);
    for (std::size_t i = 0; i < groups.size(); ++i)
      deviation_ns += std::abs(groups[i].ns - work[i] * ns_of_work);
    all_ns += ns;
  }
  return all_ns > 0 ? deviation_ns / all_ns : 0;
}

double unevenness(finished_job const& run, std::vector<std::uint32_t> const& units_per_step) {
  double most = 0;
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    if (run.devices[device].ended.size() < tasks_to_compare) continue;
    auto const tasks = by_end(run.devices[device]);
    auto const groups = groups_of(tasks, run.devices[device].begin_ns);
    most = std::max(most, std::min(unevenness_of(groups, 1), unevenness_of(groups, units_per_step[device])));
  }
  return most;
}

}  // namespace ballast::detail
