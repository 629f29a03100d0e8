// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/job/job_grid.hpp"

namespace ballast::inline job {

/// Bytes that copies between arrays' places were planned to move.
struct moved_bytes {
  std::uint64_t from_host = 0, to_host = 0, between_devices = 0;

  std::uint64_t all() const { return from_host + to_host + between_devices; }
  moved_bytes& operator+=(moved_bytes const& more) {
    from_host += more.from_host;
    to_host += more.to_host;
    between_devices += more.between_devices;
    return *this;
  }
  /// What was moved since `before`, of a count that goes on.
  moved_bytes since(moved_bytes const& before) const {
    return {from_host - before.from_host, to_host - before.to_host, between_devices - before.between_devices};
  }
  bool operator==(moved_bytes const&) const = default;
};

/// What became of one task. Times are nanoseconds of the host's steady clock; on a GPU its kernels
/// end when they are seen to have ended.
struct task_report {
  std::uint32_t device = 0;  ///< its place in the scheduler's list
  job_part part{};
  moved_bytes moved{};                    ///< so that the task could begin
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of its kernels, without what lay between them
};

/// A finished job.
struct job_report {
  std::string name, policy;
  std::int64_t submitted_ns = 0, begin_ns = 0, end_ns = 0;  ///< first kernel's begin, last one's end
  /// For all tasks together; not what reuse = false writes back after a task.
  moved_bytes moved{};
  std::vector<task_report> tasks{};  ///< in the order in which they ended
};

/// What a scheduler did so far.
struct job_statistics {
  std::uint64_t submitted = 0, ended = 0, failed = 0;  ///< jobs; failed ones have ended too
  std::uint64_t tasks = 0;                             ///< that ended well
  moved_bytes moved{};                                 ///< all, also for accesses of the host
};

}  // namespace ballast::inline job
