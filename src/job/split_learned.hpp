// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "split_run.hpp"
#include "split_shares.hpp"
#include "work_profile.hpp"

namespace ballast::detail {

/// Keeps borders where they are until moving them pays: soon after the beginning, when most is to be gained,
/// or when the runs since then have lost as much as the move costs.
class border_brake {
 public:
  /// A run that would have been shorter by `gain_ns` with other borders, 0 if that is too little to count.
  void note_run(double gain_ns);
  bool allows(double gain_ns, double move_ns) const;
  void note_move() { lost_ns_ = 0; }

 private:
  double lost_ns_ = 0;  ///< lost by the runs since a gain was possible
  std::uint32_t runs_ = 0;
};

/// The units of each device by its work in a step, learned from earlier runs.
class paced_shares {
 public:
  paced_shares(job_shape const& shape, std::vector<std::uint32_t> units_per_step)
      : history_(shape, std::move(units_per_step)) {}

  std::vector<std::uint32_t> const& shares() const { return shares_; }
  std::vector<std::uint32_t> const& units_per_step() const { return history_.units_per_step(); }
  /// What a run with these shares takes; 0 if there was none.
  double run_ns() const { return run_ns_; }
  bool is_known() const { return history_.is_known(); }

  /// The next run with these shares measures it anew.
  void forget_time() { run_ns_ = 0; }
  void forget_speeds(finished_job const& run) { history_.forget(run); }
  /// Learns from a run with any shares, in which each device was busy for `busy_ns`.
  void learn(finished_job const& run, std::vector<double> const& busy_ns);

  /// The largest relative difference, over all devices, between the times of a run with any shares and the
  /// times that the speeds promise.
  double surprise_by(finished_job const& run, std::vector<double> const& busy_ns) const;
  /// Changes the shares to what the speeds say, if that pays for the bytes that have to move.
  void move_borders(job_shape const& shape);

  /// True if shares by these speeds promise enough over `others` to pay for going there and back.
  bool promise_more_than(std::vector<std::uint32_t> const& others, job_shape const& shape) const;
  /// True if a run with these was faster than with `others` by enough to pay for the change. False while the
  /// time with `others` is unknown.
  bool are_better_than(paced_shares const& others, job_shape const& shape) const;

 private:
  /// The time that a run gains by changing from one to the other; 0 if it is too little to count.
  double gain_ns(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to) const;
  bool are_of(finished_job const& run) const;

  job_history history_;
  std::vector<std::uint32_t> shares_;
  double run_ns_ = 0;
  border_brake brake_;
};

/// True if a device is faster with tasks of few blocks than with large ones. Blocks that begin together read
/// the same at about the same time, so that the cache has it; those of a large kernel drift apart. At the end
/// of one run's range tasks of as many blocks as the device runs at once are tried, and tasks of half as
/// many, two of which fill it. What took least of a unit stays.
class task_grain {
 public:
  task_grain(std::uint64_t blocks_per_unit, split_device const& device);

  /// The units of a small task if small tasks were found faster; nothing if tasks should be large.
  std::optional<std::uint32_t> units() const { return chosen_; }

  /// The small tasks with which the range is to end, in a run that tries them. None where blocks are unknown,
  /// there was a trial, the range is of few waves or larger than a task may be, or tasks would take no more
  /// than they cost: `unit_ns` is what a unit takes in large ones, 0 if unknown.
  std::vector<job_part> trial(job_part range, double unit_ns);

  /// What the run's units would have taken with the tasks that are to be from now on. `busy_ns` if it was no
  /// trial; it may have begun before the run that it was to follow had ended. `work` of a part, its units
  /// where these are alike.
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

/// One range of units per device, side by side, so that only their ends lie at other devices' data; how long
/// each is and into how many tasks it is cut follows from the runs before. A kernel of few blocks takes whole
/// waves of them, another one does not: ranges for both are tried, and those that took less stay. Tasks of
/// few blocks are tried once as well. Where some units take longer than others, borders follow the work of
/// each part instead.
class learned_ranges {
 public:
  explicit learned_ranges(job_shape const& shape);

  /// Whether anything was learned.
  bool is_known() const { return by_units_.is_known(); }

  /// What each device is to do next.
  device_parts parts(job_shape const& shape);

  /// Learns from a run in ranges.
  void learn(finished_job const& run);
  /// Learns from a run in other parts, before there was one in ranges. The first run in ranges knows better.
  void learn_from_probes(finished_job const& run);

 private:
  struct unit_costs {
    double bytes_in = 0, bytes_out = 0;  ///< without those that were copied because a border moved
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
  std::vector<std::uint32_t> shares_by_work_;  ///< as long as units are uneven
  border_brake work_brake_;
  bool look_closer_;                        ///< at the next run, by cutting ranges into sections
  std::uint32_t doubts_ = 0;                ///< looks that may still disprove the profile
  std::uint32_t next_look_ = 0, wait_ = 1;  ///< in runs: looks that find nothing become rare
  bool in_waves_ = false;
  /// To and fro, so that what a run left in a memory too small is what the next begins with.
  bool forward_ = false;
  std::uint32_t runs_ = 0;  ///< that it learned from
  std::vector<job_part> last_ranges_;
  std::vector<unit_costs> of_unit_;  ///< of each device, in the last run
};

}  // namespace ballast::detail
