// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/arguments.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

/// A split policy's knowledge of a device.
struct split_device {
  /// Units that one task may have; at least 1.
  std::uint32_t max_units = (std::numeric_limits<std::uint32_t>::max)();
  std::uint64_t blocks_at_once = 0;  ///< blocks of this kernel that it runs concurrently; 0 if unknown
  double bytes_per_ns = 55;          ///< bandwidth of copies to and from it; above 0
};

/// A split policy's knowledge of a job before it begins.
struct job_shape {
  std::uint32_t units = 0;            ///< units to cut into parts; 0 is legal
  std::uint32_t tasks = 8;            ///< tasks of a job, for policies that use a number; at least 1
  std::uint32_t in_flight = 2;        ///< tasks on a device at a time while its share is not fixed; 1 to 64
  std::uint64_t blocks_per_unit = 0;  ///< 0 if unknown
  std::uint64_t bytes_per_unit = 0;   ///< bytes that move with a unit to another device; 0 if none or unknown
  std::vector<split_device> devices{};  ///< at least one
};

/// A task that a device has finished.
struct ended_task {
  /// The units of the task.
  job_part part{};
  /// When the task's kernel began, in ns of one clock for all tasks of the device.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< when it ended
  /// Bytes copied to the device for this part only, without data that several parts read.
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< bytes copied from it
  bool alone = true;                          ///< no other job's kernel was on the device at the same time
};

/// How one job is divided among devices. Each unit is given to one device, once. One thread at a time may
/// call.
class BALLAST_API job_split {
 public:
  virtual ~job_split() = default;

  /// The next task of device number `device`, which has `in_flight` unfinished tasks of this job; nothing if
  /// it gets none now. The caller may ask again as soon as a task has ended on any device; "nothing" is final
  /// only if no task is in flight on any device. Throws bad_argument ("device") if the job has no such
  /// device.
  virtual std::optional<job_part> next(std::uint32_t device, std::uint32_t in_flight) = 0;

  /// Records the end of a task. Call it for every task that ended successfully, in any order. Throws
  /// bad_argument ("device") if the job has no such device.
  virtual void ended(std::uint32_t device, ended_task const& task) = 0;

  /// Units that were not given to any device yet.
  virtual std::uint32_t unissued() const = 0;
};

/// Cuts the jobs of one kind, which repeat one kernel over one grid, and may learn from each for the next.
/// Its only state is what it learned: no clock, no device, no randomness; the same calls give the same
/// answers. Only one thread at a time may call a policy and its splits. A split may outlive its policy, and
/// splits of one policy may overlap in time. If the shape's units, tasks or number of devices change, the
/// policy forgets what it learned.
class BALLAST_API split_policy {
 public:
  virtual ~split_policy() = default;

  /// Begins a job. Call it as late as possible, when the job is about to get its first task: the policy uses
  /// the runs that have ended by then. Throws bad_argument ("devices", "tasks", "in_flight", "max_units",
  /// "bytes_per_ns") outside the ranges above.
  std::unique_ptr<job_split> begin(job_shape const& shape);

 private:
  /// Begins a job whose shape has been checked.
  virtual std::unique_ptr<job_split> split(job_shape const& shape) = 0;
};

/// Makes the policy of this name. Throws bad_argument ("policy"), which lists the names.
BALLAST_API std::unique_ptr<split_policy> make_split_policy(std::string_view name = "learned");

}  // namespace ballast::detail
