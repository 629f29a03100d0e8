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

namespace ballast {

/// What a split policy knows of a device.
struct split_device {
  std::uint32_t max_units =
      std::numeric_limits<std::uint32_t>::max();  ///< that one task may have; at least 1
  std::uint64_t blocks_at_once = 0;  ///< of this kernel that it runs side by side; 0 if that is unknown
  double bytes_per_ns = 55;          ///< at which its copies arrive and leave; above 0
};

/// What a split policy knows of a job before it begins.
struct job_shape {
  std::uint32_t units = 0;              ///< to be cut into parts; 0 is legal
  std::uint32_t tasks = 8;              ///< of a job, for the policies that want a number; at least 1
  std::uint32_t in_flight = 2;          ///< tasks that a device has at once while its share is open; 1 to 64
  std::uint64_t blocks_per_unit = 0;    ///< 0 if that is unknown
  std::uint64_t bytes_per_unit = 0;     ///< that follow a unit to another device; 0 if none or unknown
  std::vector<split_device> devices{};  ///< at least one
};

/// A task that a device has finished.
struct ended_task {
  /// The units that it had.
  job_part part{};
  /// When it began and ended, in ns.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of its kernel, by one clock for all tasks of the device
  /// Bytes that were copied to the device and from it.
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< copied for this part alone, not what several parts read
  bool alone = true;                          ///< no other job's kernel was on the device meanwhile
};

/// How one job is dealt out. Each unit is given to one device, once. One thread at a time.
class job_split {
 public:
  virtual ~job_split() = default;

  /// The next task of device number `device`, which has `in_flight` unfinished tasks of this job; nothing if
  /// it shall not get one now. It may ask again as soon as a task has ended anywhere; the answer is final
  /// only if nothing is in flight anywhere. Throws bad_argument ("device") for one that the job does not
  /// have.
  virtual std::optional<job_part> next(std::uint32_t device, std::uint32_t in_flight) = 0;

  /// To be told of every task that ended well, in any order. Throws likewise.
  virtual void ended(std::uint32_t device, ended_task const& task) = 0;

  /// Units that no device was given yet.
  virtual std::uint32_t unissued() const = 0;
};

/// Cuts the jobs of one kind, which repeat one kernel over one grid, and may learn from each for the next.
/// Pure but for what it learned: no clock, no device, no randomness; the same calls give the same answers.
/// One thread at a time for a policy and its splits; a split may outlive its policy, and splits of one policy
/// may overlap. Where the shape's units, tasks or number of devices change, what was learned is forgotten.
class split_policy {
 public:
  virtual ~split_policy() = default;

  /// As late as possible, when the job is to get its first task: it goes by the runs that have ended by then.
  /// Throws bad_argument ("devices", "tasks", "in_flight", "max_units", "bytes_per_ns")
  /// outside the ranges above.
  std::unique_ptr<job_split> begin(job_shape const& shape);

 private:
  /// The shape was checked.
  virtual std::unique_ptr<job_split> split(job_shape const& shape) = 0;
};

/// Every split policy by name; "learned" is the default.
std::vector<named_policy> split_policies();

/// Throws bad_argument ("policy") listing the names.
std::unique_ptr<split_policy> make_split_policy(std::string_view name = "learned");

}  // namespace ballast
