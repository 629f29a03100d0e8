// SPDX-License-Identifier: Apache-2.0
#include "split_task_map.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ballast::detail {
namespace {

constexpr double max_imbalance = 1.05;  // time of the slowest device that still passes for balance
constexpr std::uint32_t unbalanced_runs_to_act = 3;  // one or two may be chance

bool are_neighbours(job_part one, job_part other) {
  return one.first + one.count == other.first || other.first + other.count == one.first;
}

/// The part whose move makes the fewest new borders between devices: at a border to the other one, if there
/// is such.
std::size_t part_to_move(std::vector<job_part> const& from, std::vector<job_part> const& to) {
  for (std::size_t index = from.size(); index-- > 0;)
    for (auto const& other : to)
      if (are_neighbours(from[index], other)) return index;
  return from.size() - 1;
}

void move_part(std::vector<job_part>& from, std::size_t index, std::vector<job_part>& to) {
  auto const part = from[index];
  from.erase(from.begin() + std::ptrdiff_t(index));
  to.insert(std::ranges::upper_bound(to, part.first, {}, &job_part::first), part);
}

/// What is expected of each device after moves.
class expected_times {
 public:
  explicit expected_times(finished_job const& run) : ns_(run.spans_ns()) {
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t device = 0; device < ns_.size(); ++device) {
      unit_ns_.push_back(ns_[device] / run.devices[device].units);
      if (run.devices[device].units > 0) least = std::min(least, unit_ns_.back());
    }
    for (std::size_t device = 0; device < ns_.size(); ++device)
      if (run.devices[device].units == 0) unit_ns_[device] = least;
  }

  std::size_t slowest() const {
    return static_cast<std::size_t>(std::ranges::max_element(ns_) - ns_.begin());
  }
  std::size_t fastest() const {
    return static_cast<std::size_t>(std::ranges::min_element(ns_) - ns_.begin());
  }

  bool is_balanced() const {
    auto const mean = std::accumulate(ns_.begin(), ns_.end(), 0.0) / static_cast<double>(ns_.size());
    return ns_[slowest()] <= max_imbalance * mean;
  }

  /// Whether the later of both would end earlier.
  bool gains_by(std::uint32_t units, std::size_t from, std::size_t to) const {
    return ns_[to] + units * unit_ns_[to] < ns_[from];
  }

  void move(std::uint32_t units, std::size_t from, std::size_t to) {
    ns_[from] -= units * unit_ns_[from];
    ns_[to] += units * unit_ns_[to];
  }

 private:
  std::vector<double> ns_, unit_ns_;
};

}  // namespace

void task_map::learn(finished_job const& run) {
  if (!known_) return record(run);
  if (!run.alone || !is_of_this_map(run)) return;
  auto const balanced = expected_times(run).is_balanced();
  unbalanced_in_a_row_ = balanced ? 0 : unbalanced_in_a_row_ + 1;
  if (unbalanced_in_a_row_ < unbalanced_runs_to_act) return;
  unbalanced_in_a_row_ = 0;
  balance(run);
}

void task_map::record(finished_job const& run) {
  for (auto const& [device, part] : run.placed) parts_[device].push_back(part);
  known_ = true;
}

/// Jobs may have begun before the map was known or changed, and end later.
bool task_map::is_of_this_map(finished_job const& run) const {
  for (std::size_t device = 0; device < parts_.size(); ++device) {
    std::uint32_t units = 0;
    for (auto const& part : parts_[device]) units += part.count;
    if (units != run.devices[device].units) return false;
  }
  return true;
}

void task_map::balance(finished_job const& run) {
  expected_times times(run);
  for (;;) {
    auto const from = times.slowest(), to = times.fastest();
    auto const index = part_to_move(parts_[from], parts_[to]);
    auto const units = parts_[from][index].count;
    if (!times.gains_by(units, from, to)) return;
    move_part(parts_[from], index, parts_[to]);
    times.move(units, from, to);
  }
}

}  // namespace ballast::detail
