// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "split_run.hpp"
#include "split_shares.hpp"

namespace ballast::detail {

/// How fast one device carries out steps of one kind, learned from its share of each run.
class device_speed {
 public:
  /// 0 as long as nothing is known.
  double steps_per_ns() const { return steps_per_ns_; }

  /// Half of what was known and half of what is new. Something more than twice or less than half as fast as
  /// known counts only if it comes for the third time in a row, and then alone: it is no outlier but another
  /// speed. Nothing is learned from 0 steps; `busy_ns` above 0.
  void learn(double steps, double busy_ns);

 private:
  bool is_outlier(double steps_per_ns) const;

  double steps_per_ns_ = 0;
  std::uint32_t outliers_in_a_row_ = 0;
};

/// How fast the devices carried out the jobs of one kind.
class job_history {
 public:
  /// `units_per_step` as in device_pace, of each device.
  job_history(job_shape const& shape, std::vector<std::uint32_t> units_per_step);
  explicit job_history(job_shape const& shape) : job_history(shape, all_ones(shape)) {}

  std::vector<std::uint32_t> const& units_per_step() const { return units_per_step_; }

  /// Nothing is learned from a run that shared a device with another job: its times are not its own.
  void learn(finished_job const& run);
  /// Learns as from the run, but with other times than its own: one for each device, above 0 where it had
  /// units.
  void learn(finished_job const& run, std::vector<double> const& busy_ns);
  /// Forgets the speeds of the devices that had units in this run.
  void forget(finished_job const& run);

  bool is_known() const { return known_; }
  /// The speed of each device in steps per ns; 0 as long as it is unknown.
  std::vector<double> speeds() const;
  /// The pace of each device. A device of unknown speed counts as slightly faster than the fastest, so that
  /// it is tried. All are equal if none is known.
  std::vector<device_pace> paces() const;

 private:
  static std::vector<std::uint32_t> all_ones(job_shape const& shape);

  std::vector<std::uint32_t> units_per_step_;
  std::vector<device_speed> speeds_;
  bool known_ = false;
};

/// What a policy remembers of its jobs as long as their shape stays.
template <class Memory>
class shape_cache {
 public:
  /// Shared with the splits, which add what they learn and may outlive the policy.
  std::shared_ptr<Memory> of(job_shape const& shape) {
    if (memory_ && has_same_shape(shape)) return memory_;
    units_ = shape.units, tasks_ = shape.tasks, devices_ = shape.devices.size();
    return memory_ = std::make_shared<Memory>(shape);
  }

 private:
  bool has_same_shape(job_shape const& shape) const {
    return shape.units == units_ && shape.tasks == tasks_ && shape.devices.size() == devices_;
  }

  std::shared_ptr<Memory> memory_;
  std::uint32_t units_ = 0, tasks_ = 0;
  std::size_t devices_ = 0;
};

}  // namespace ballast::detail
