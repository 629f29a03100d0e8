// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "split/split_run.hpp"
#include "split/work_profile.hpp"

namespace ballast::detail {

/// Keeps borders in place until moving them pays: soon after the beginning, when there is most to gain, or
/// once the runs since then have lost as much as the move costs.
class border_brake {
 public:
  /// Records a run that other borders would have shortened by `gain_ns`, 0 if that is too little to count.
  void note_run(double gain_ns);
  bool allows(double gain_ns, double move_ns) const;
  void note_move() { lost_ns_ = 0; }

 private:
  double lost_ns_ = 0;  ///< lost by the runs since a gain was possible
  std::uint32_t runs_ = 0;
};

/// The number of units of each device, by its speed in steps, learned from earlier runs.
class paced_shares {
 public:
  paced_shares(job_shape const& shape, std::vector<std::uint32_t> units_per_step)
      : history_(shape, std::move(units_per_step)) {}

  std::vector<std::uint32_t> const& shares() const { return shares_; }
  std::vector<std::uint32_t> const& units_per_step() const { return history_.units_per_step(); }
  /// The time of a run with these shares; 0 if there was none.
  double run_ns() const { return run_ns_; }
  bool is_known() const { return history_.is_known(); }

  /// Makes the next run with these shares measure the time again.
  void forget_time() { run_ns_ = 0; }
  void forget_speeds(finished_job const& run) { history_.forget(run); }
  /// Learns from a run with any shares, in which each device was busy for `busy_ns`.
  void learn(finished_job const& run, std::vector<double> const& busy_ns);

  /// The largest relative difference, over all devices, between the times of a run with any shares and those
  /// predicted from the speeds.
  double surprise_by(finished_job const& run, std::vector<double> const& busy_ns) const;
  /// Changes the shares to fit the speeds, if that pays for the bytes that must move.
  void move_borders(job_shape const& shape);

  /// True if shares by these speeds promise enough over `others` to pay for the change and back.
  bool promise_more_than(std::vector<std::uint32_t> const& others, job_shape const& shape) const;
  /// True if a run with these shares was faster than one with `others` by enough to pay for the change. False
  /// while the time with `others` is unknown.
  bool are_better_than(paced_shares const& others, job_shape const& shape) const;

 private:
  /// The time per run that a change of the shares gains; 0 if that is too little to count.
  double gain_ns(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to) const;
  bool are_of(finished_job const& run) const;

  job_history history_;
  std::vector<std::uint32_t> shares_;
  double run_ns_ = 0;
  border_brake brake_;
};

/// Finds out whether a device is faster with tasks of few blocks than with large ones. Blocks that begin
/// together read the same data at about the same time, so that the cache holds it; those of a large kernel
/// drift apart. At the end of one run's range it tries tasks of as many blocks as the device runs at once,
/// and tasks of half as many, two of which fill it. It keeps the size with the least time per unit.
class task_grain {
 public:
  task_grain(std::uint64_t blocks_per_unit, split_device const& device);

  /// The units of a small task if small tasks were found faster; nothing if tasks should be large.
  std::optional<std::uint32_t> units() const { return chosen_; }

  /// The small tasks at the end of the range, in a run that tries them. None if the number of blocks is
  /// unknown, a trial was made, the range has few waves or exceeds the limit of a task, or tasks would be
  /// short beside their cost. `unit_ns`: the time of a unit in large tasks, 0 if unknown.
  std::vector<job_part> trial(job_part range, double unit_ns);

  /// The time that the run's units would have taken with the tasks used from now on; `busy_ns` if the run was
  /// no trial: a run may have begun before the run that it should follow had ended. `work` returns the work
  /// of a part, its number of units if these are alike.
  double learn(device_run const& run, double busy_ns, std::function<double(job_part)> const& work);

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

/// One contiguous range of units per device, so that only the ends of ranges adjoin other devices' data. The
/// lengths and the number of tasks follow from earlier runs. Some kernels are faster in whole waves of
/// blocks, others are not: it tries such ranges where they promise to be faster, and keeps the faster ones.
/// It also tries small tasks, once for each device. If some units take longer than others, it places the
/// borders by the work of each part instead.
class learned_ranges {
 public:
  explicit learned_ranges(job_shape const& shape);

  /// True if anything was learned.
  bool is_known() const { return by_units_.is_known(); }

  /// The next parts of each device.
  device_parts parts(job_shape const& shape);

  /// Learns from a run in ranges.
  void learn(finished_job const& run);
  /// Learns from a run in other parts, before the first one in ranges. The first run in ranges gives better
  /// data.
  void learn_from_probes(finished_job const& run);

 private:
  struct unit_costs {
    double bytes_in = 0, bytes_out = 0;  ///< without copies that a moved border caused
    double kernels_ns = 0;
  };

  paced_shares& chosen(job_shape const& shape);
  bool is_uneven() const { return !shares_by_work_.empty(); }
  std::vector<std::uint32_t> const& shares_by_speed(job_shape const& shape);
  std::vector<std::uint32_t> const& shares_by_work(job_shape const& shape);
  std::uint32_t sections(std::size_t device, std::uint32_t units) const;
  std::vector<job_part> sections_of(std::size_t device, job_part range) const;
  double surprise_by(finished_job const& run, std::vector<double> const& busy_ns) const;
  double work_gain_ns(std::vector<std::uint32_t> const& to) const;
  bool do_copies_take_longer() const;
  bool is_explained(finished_job const& run) const;
  void note_look(finished_job const& run);
  void forget_work();
  void note_uneven_run(finished_job const& run, bool looked);
  void note_unevenness(finished_job const& run, bool is_surprise);
  void learn_times(finished_job const& run);
  void forget_speeds(finished_job const& run);
  std::vector<job_part> tasks_of(std::size_t device, job_part range);
  std::vector<job_part> large_tasks_of(std::size_t device, job_part range) const;
  std::vector<double> busy_ns(finished_job const& run, std::vector<double> const& moved) const;
  std::vector<double> moved_bytes(finished_job const& run) const;
  void record_unit_costs(finished_job const& run, std::vector<double> const& moved);

  job_shape shape_;
  paced_shares by_units_, by_waves_;
  std::vector<task_grain> grains_;  ///< of each device
  work_profile profile_;
  std::vector<std::uint32_t> shares_by_work_;  ///< used while units are uneven
  border_brake work_brake_;
  bool look_closer_;                        ///< at the next run, by cutting ranges into sections
  std::uint32_t doubts_ = 0;                ///< runs with sections that may still disprove the profile
  std::uint32_t next_look_ = 0, wait_ = 1;  ///< in runs; sections become rare while they show nothing
  bool in_waves_ = false;
  /// Whether ranges that exceed a device's memory run forwards. Runs alternate, so that each begins with the
  /// data that the previous one left in the memory.
  bool forward_ = false;
  std::uint32_t runs_ = 0;  ///< the number of runs that it learned from
  std::vector<job_part> last_ranges_;
  std::vector<unit_costs> of_unit_;  ///< for each device, in the last run
};

}  // namespace ballast::detail
