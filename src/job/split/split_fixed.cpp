// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "ballast/balance.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "split/split_run.hpp"
#include "split/task_join.hpp"

namespace ballast::detail {
namespace {

class mapped_split final : public recorded_split {
 public:
  mapped_split(job_shape const& shape, device_parts parts, listener finished)
      : recorded_split(shape, std::move(finished)), waiting_(std::move(parts)) {
    waiting_.resize(shape.devices.size());
    for (auto& of_device : waiting_) {
      std::erase_if(of_device, [](job_part part) { return part.count == 0; });
      std::ranges::reverse(of_device);
    }
  }

 private:
  std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) override {
    auto& mine = waiting_[device];
    if (mine.empty() || in_flight >= max_tasks_in_flight) return std::nullopt;
    auto& next = mine.back();
    job_part const part{next.first, std::min(next.count, shape().devices[device].max_units)};
    next = {next.first + part.count, next.count - part.count};
    if (next.count == 0) mine.pop_back();
    return part;
  }

  device_parts waiting_;  ///< for each device, the next part last
};

}  // namespace

std::unique_ptr<job_split> split_as_mapped(job_shape const& shape, device_parts parts,
                                           recorded_split::listener finished) {
  return std::make_unique<mapped_split>(shape, std::move(parts), std::move(finished));
}

namespace {

struct range_balancer : balancer {
  explicit range_balancer(job_shape const& shape)
      : balancer(
            shape.devices.size(), shape.units,
            {.move_seconds = 1e-9 * double(shape.bytes_per_unit) /
                             std::ranges::min(shape.devices, {}, &split_device::bytes_per_ns).bytes_per_ns}) {
  }
};

/// One range per device.
device_parts parts_between(std::vector<std::size_t> const& borders) {
  device_parts parts;
  for (std::size_t i = 1; i < borders.size(); ++i)
    parts.push_back({{std::uint32_t(borders[i - 1]), std::uint32_t(borders[i] - borders[i - 1])}});
  return parts;
}

/// One range of equal size per device, as a program without a scheduler would use.
class static_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    return split_as_mapped(shape, parts_between(range_balancer(shape).boundaries()));
  }
};

/// One range per device, by measured speed; equal ones at first.
class weighted_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const ranges = ranges_.of(shape);
    return split_as_mapped(shape, parts_between(ranges->boundaries()), [ranges](finished_job const& run) {
      if (!run.alone) return;
      for (std::size_t device = 0; device < run.devices.size(); ++device)
        ranges->observe(device, run.devices[device].units, run.devices[device].span_ns() * 1e-9);
      ranges->propose();
    });
  }

  shape_cache<range_balancer> ranges_;
};

/// The task-device map of a repeated job (Ohno et al. 2016, section 3.4.3), which the paper never changes.
/// Here tasks move when the devices' times are out of balance run after run.
class task_map {
 public:
  explicit task_map(job_shape const& shape) : parts_(shape.devices.size()) {}

  /// After the first run.
  bool is_known() const { return known_; }
  device_parts const& parts() const { return parts_; }

  void learn(finished_job const& run);

 private:
  void record(finished_job const& run);
  void balance(finished_job const& run);
  bool is_of_this_map(finished_job const& run) const;

  device_parts parts_;  ///< ascending
  bool known_ = false;
  std::uint32_t unbalanced_in_a_row_ = 0;
};

constexpr double max_imbalance = 1.05;  // largest time over the mean that still counts as balanced
constexpr std::uint32_t unbalanced_runs_to_act = 3;  // one or two may be chance

/// The part whose move makes the fewest new borders between devices: one at a border to the other device, if
/// there is one.
std::size_t part_to_move(std::vector<job_part> const& from, std::vector<job_part> const& to) {
  for (std::size_t index = from.size(); index-- > 0;)
    for (auto const& other : to)
      if (adjoin(from[index], other)) return index;
  return from.size() - 1;
}

void move_part(std::vector<job_part>& from, std::size_t index, std::vector<job_part>& to) {
  auto const part = from[index];
  from.erase(from.begin() + std::ptrdiff_t(index));
  to.insert(std::ranges::upper_bound(to, part.first, {}, &job_part::first), part);
}

/// The expected times of the devices after moves.
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

  /// True if the later of the two devices would end earlier.
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

/// Ohno et al. 2016, section 3.4.3: a repeated job gives each task to the device that ran it before, where
/// its data is.
class fixed_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const map = map_.of(shape);
    auto const learn = [map](finished_job const& run) { map->learn(run); };
    return map->is_known() ? split_as_mapped(shape, map->parts(), learn) : split_among_workers(shape, learn);
  }

  shape_cache<task_map> map_;
};

}  // namespace

std::unique_ptr<split_policy> make_static_split() { return std::make_unique<static_policy>(); }
std::unique_ptr<split_policy> make_weighted_split() { return std::make_unique<weighted_policy>(); }
std::unique_ptr<split_policy> make_fixed_split() { return std::make_unique<fixed_policy>(); }

}  // namespace ballast::detail
