// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/detail/job/split_policy.hpp"

namespace ballast::detail {

/// The parts of each device, in the order in which it takes them.
using device_parts = std::vector<std::vector<job_part>>;

/// A device's pace: it computes the units of a step at a time. A partly filled step takes as long as a full
/// one.
struct device_pace {
  double steps_per_ns = 0;           ///< at least 0
  std::uint32_t units_per_step = 1;  ///< at least 1
};

/// The number of steps for `units` units; the last may be partly filled.
constexpr std::uint32_t whole_steps(std::uint32_t units, std::uint32_t units_per_step) {
  return units / units_per_step + (units % units_per_step != 0);
}

/// `whole` in `count` parts (at least 1) whose sizes differ by at most one unit, the larger ones first; in
/// fewer if there are fewer units.
std::vector<job_part> equal_parts(job_part whole, std::uint32_t count);

/// `whole` in at most `count` parts of whole steps, except the last.
std::vector<job_part> parts_of_steps(job_part whole, std::uint32_t count, std::uint32_t units_per_step);

/// Units of each device such that the slowest ends as early as whole steps allow. At least one device must
/// make steps.
std::vector<std::uint32_t> shares_by_pace(std::uint32_t units, std::span<device_pace const> paces);

/// The time of the device that takes longest with these shares.
double slowest_ns(std::span<std::uint32_t const> shares, std::span<device_pace const> paces);

/// One range per device, in the order of the devices; it is empty if the device's share is 0.
std::vector<job_part> side_by_side(std::span<std::uint32_t const> shares);

/// One device's part of a run.
struct device_run {
  std::uint32_t units = 0, tasks = 0;
  std::int64_t begin_ns = 0, end_ns = 0;      ///< first kernel's begin, last kernel's end
  std::int64_t kernels_ns = 0;                ///< time in which a kernel ran, if ends come in order
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< as in ended_task
  /// The bytes in of the first kernel, and the bytes out of the last one, which no other kernel hides.
  std::uint64_t first_in = 0, last_out = 0;
  std::vector<ended_task> ended{};  ///< all of them, in the order of their reports

  void add(ended_task const& task);
  /// The time from the first kernel's begin to the last kernel's end; at least 1 if there were units.
  double span_ns() const;
};

struct placed_part {
  std::uint32_t device = 0;
  job_part part{};
};

/// A finished job.
struct finished_job {
  std::vector<device_run> devices;
  std::vector<placed_part> placed;  ///< in the order in which they were assigned
  bool alone = true;                ///< all tasks ran alone, so their times can be learned from

  /// span_ns() of each device.
  std::vector<double> spans_ns() const;
  /// span_ns() of each device with its copies before and after, if they run at the shape's rates.
  std::vector<double> spans_with_copies_ns(job_shape const& shape) const;
};

/// A split that reports its run to a policy.
class recorded_split : public job_split {
 public:
  using listener = std::function<void(finished_job const&)>;

  /// `finished` is called once, in the call that reports the end of the last task; it may be empty.
  recorded_split(job_shape const& shape, listener finished);

  std::optional<job_part> next(std::uint32_t device, std::uint32_t in_flight) final;
  void ended(std::uint32_t device, ended_task const& task) final;
  std::uint32_t unissued() const final { return unissued_; }

 protected:
  job_shape const& shape() const { return shape_; }
  finished_job const& run() const { return run_; }

 private:
  /// The next part for a device, of at most its max_units; none if it gets none now. Called while a unit is
  /// unassigned.
  virtual std::optional<job_part> choose(std::uint32_t device, std::uint32_t in_flight) = 0;

  void check(std::uint32_t device) const;

  job_shape shape_;
  listener finished_;
  finished_job run_;
  std::uint32_t unissued_, unfinished_;
};

/// The most tasks that a device has at once if nothing depends on waiting: its share is known, or it is the
/// only device.
inline constexpr std::uint32_t max_tasks_in_flight = 64;

/// A split in which each device takes its own parts in order, independently of the other devices, with as
/// many ahead as possible.
std::unique_ptr<job_split> split_as_mapped(job_shape const& shape, device_parts parts,
                                           recorded_split::listener finished = {});

/// A split into `shape.tasks` equal parts: a device that can take a part gets the next one.
std::unique_ptr<job_split> split_among_workers(job_shape const& shape,
                                               recorded_split::listener finished = {});

/// A split into large parts first and small ones last: a device that can take a part gets the next one.
/// `units_per_ns` of each device is known, or 0. A device of unknown speed begins with a small part as a
/// probe if `probing`.
std::unique_ptr<job_split> split_guided(job_shape const& shape, std::vector<double> units_per_ns,
                                        bool probing, recorded_split::listener finished = {});

std::unique_ptr<split_policy> make_static_split();
std::unique_ptr<split_policy> make_master_worker_split();
std::unique_ptr<split_policy> make_guided_split();
std::unique_ptr<split_policy> make_weighted_split();
std::unique_ptr<split_policy> make_fixed_split();
std::unique_ptr<split_policy> make_learned_split();

/// The speed of one device for steps of one kind, learned from its share of each run.
class device_speed {
 public:
  /// 0 while nothing is known.
  double steps_per_ns() const { return steps_per_ns_; }
  /// The speed to try the device with: the known one, multiplied by the hundreds of runs since the device had
  /// steps, if that is more than one. So a device that is too slow for one step is tried again, at a cost of
  /// less than 1% of these runs, not counting copies.
  double hoped_steps_per_ns() const { return steps_per_ns_ * std::max(idle_runs_ / patience, 1.0); }

  /// Averages the known speed and the new one. A speed beyond twice or below half of the known one counts
  /// only the third time in a row, and then alone: it is no outlier but a new speed. So is the first one
  /// after 100 runs without steps. `busy_ns` must be above 0 unless `steps` is 0.
  void learn(double steps, double busy_ns);

 private:
  bool is_outlier(double steps_per_ns) const;

  static constexpr double patience = 100;  ///< in runs

  double steps_per_ns_ = 0, idle_runs_ = 0;
  std::uint32_t outliers_in_a_row_ = 0;
};

/// The speeds of the devices for the jobs of one kind.
class job_history {
 public:
  /// `units_per_step` as in device_pace, for each device; 1 if it has none.
  explicit job_history(job_shape const& shape, std::vector<std::uint32_t> units_per_step = {});

  std::vector<std::uint32_t> const& units_per_step() const { return units_per_step_; }

  /// Learns the devices' speeds from the run, with these times: one for each device, above 0 where it had
  /// units. Nothing if the run shared a device with another job, which distorts its times.
  void learn(finished_job const& run, std::vector<double> const& busy_ns);
  /// Forgets the speeds of the devices that had units in this run.
  void forget(finished_job const& run);

  bool is_known() const { return known_; }
  /// The speed of each device in steps per ns; 0 while it is unknown.
  std::vector<double> speeds() const;
  /// The pace of each device. A device of unknown speed counts as slightly faster than the fastest, so that
  /// it is tried. All paces are equal if no speed is known.
  std::vector<device_pace> paces() const;

 private:
  std::vector<std::uint32_t> units_per_step_;
  std::vector<device_speed> speeds_;
  bool known_ = false;
};

/// A policy's memory of its jobs, kept as long as their shape stays the same.
template <class Memory>
class shape_cache {
 public:
  /// The memory for jobs of this shape. Shared with the splits, which add to it and may outlive the policy.
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
