// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ballast/policy/split.hpp"
#include "split_run.hpp"

namespace ballast::detail {

/// Whether a device is faster with tasks of few blocks than with large ones. Blocks that begin together read
/// the same at about the same time, so that the cache has it; those of a large kernel drift apart. At the end
/// of one run's range tasks of as many blocks as the device runs at once are tried, and tasks of half as
/// many, two of which fill it. What took least of a unit stays.
class task_grain {
 public:
  task_grain(std::uint64_t blocks_per_unit, split_device const& device);

  /// Of a small task, if those were found faster; else tasks are to be large.
  std::optional<std::uint32_t> units() const { return chosen_; }

  /// The small tasks with which the range is to end, in a run that tries them. None where blocks are unknown,
  /// there was a trial, the range is of few waves or larger than a task may be, or tasks would take no more
  /// than they cost: `unit_ns` is what a unit takes in large ones, 0 if unknown.
  std::vector<job_part> trial(job_part range, double unit_ns);

  /// What the run's units would have taken with the tasks that are to be from now on. `busy_ns` if it was no
  /// trial; it may have begun before the run that it was to follow had ended.
  double learn(device_run const& run, double busy_ns);

 private:
  struct section {
    job_part units{};
    std::uint32_t grain = 0;
  };

  std::uint32_t max_units_;
  std::uint64_t whole_wave_ = 0, half_wave_ = 0;  ///< in units; 0: unknown
  std::vector<section> sections_;                 ///< of the trial, in the order of their units
  bool tried_ = false;
  std::optional<std::uint32_t> chosen_;
};

}  // namespace ballast::detail
