// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/split_run.hpp"

namespace ballast::detail {

/// The work of a job's units, and the devices' speeds, learned from the times of its tasks. A value; no
/// device and no clock.
class work_profile {
 public:
  /// At first all units and all devices are alike.
  work_profile(std::uint32_t units, std::size_t devices);

  /// Learns the devices' speeds and the units' work from a run in which devices took parts from all over the
  /// range. Parts differ less from their neighbours than from most others, so neighbouring parts of different
  /// devices show the devices' speeds.
  void learn_from_mixed_parts(finished_job const& run);
  /// Learns the units' work from a run in which each device ran its range as short tasks: a task's work is
  /// its time multiplied by its device's known speed.
  void learn_work(finished_job const& run);
  /// Learns the devices' speeds from a run in ranges, as device_speed does.
  void learn_speeds(finished_job const& run);

  /// Units of each device, side by side, so that all end at about the same time.
  std::vector<std::uint32_t> shares() const;
  /// The time of the device that takes longest with these shares.
  double slowest_ns(std::vector<std::uint32_t> const& shares) const;
  /// The largest relative difference, over all devices, between a device's time in this run and its predicted
  /// time.
  double surprise_by(finished_job const& run) const;
  /// The mean deviation of the units' work from their mean, over that mean.
  double unevenness() const;
  /// The error of its predictions within a run: the tasks' mean deviation from the predicted times, over
  /// their mean. The prediction takes the total time of each device's tasks as given. 0 without tasks.
  double deviation(finished_job const& run) const;
  double work_of(job_part part) const;

 private:
  struct timed_part {
    std::size_t device;
    job_part part;
    double ns;
  };

  static std::vector<timed_part> timed_parts(finished_job const& run);
  double speed_of(std::size_t device) const;
  void set_work(job_part part, double work);

  double units_per_cell_;
  std::vector<double> cells_;         ///< the work of each cell of units
  std::vector<device_speed> speeds_;  ///< in work per ns
};

/// How much the units of a device differ in a run: the mean deviation of its tasks' times from those of equal
/// units, over their mean; for the device where that is largest. 0 if no device had at least four tasks.
/// Tasks of few blocks may come in waves, so it takes the smaller result of counting single units and
/// counting whole steps.
double unevenness(finished_job const& run, std::vector<std::uint32_t> const& units_per_step);

}  // namespace ballast::detail
