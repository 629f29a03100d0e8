// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "array_state.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"
#include "byte_runs.hpp"
#include "device_operation.hpp"
#include "job_order.hpp"
#include "job_record.hpp"
#include "operations.hpp"
#include "task_planner.hpp"
#include "working_set.hpp"

namespace ballast::detail {

/// What is known of an argument whatever array it is.
struct described_argument {
  std::array<std::size_t, 3> sides;
  std::string map;
  access_mode mode;

  auto operator<=>(described_argument const&) const = default;
};

/// What one kernel of a task computes.
struct task_piece {
  job_part part;
  std::vector<array_use> uses;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< once it has ended
};

/// A task that was planned and has not ended.
struct planned_task {
  std::shared_ptr<job_record> job;
  std::uint32_t device_index;  ///< which of the job's devices
  job_part part;
  std::vector<array_use> uses;
  std::vector<task_piece> pieces{};         ///< in the order of their kernels
  std::vector<resident_bytes> residents{};  ///< of each array, pinned
  std::vector<std::size_t> first_bytes{};   ///< of its hull, likewise
  moved_bytes moved{};
  std::uint64_t own_bytes = 0;  ///< moved for this part alone
  std::size_t pieces_ended = 0;
  bool has_failed = false;

  resident_bytes const& resident_of(std::size_t argument) const;
  /// Of all pieces, once they have ended.
  std::int64_t end_ns() const;
  /// In which one of them ran: their ends wait for neighbours while the rest does not.
  std::int64_t busy_ns() const;
};

/// Of a task.
struct kernel_in_flight {
  std::shared_ptr<planned_task> task;
  std::size_t piece;
};

struct reported_end {
  std::uint32_t executor;
  ended_operation end;
};

struct busy_time {
  job_number job;
  std::int64_t begin_ns, end_ns;
};

struct device_in_use {
  std::uint32_t tasks = 0;  ///< that were planned
  std::uint32_t kernels = 0;
  bool is_lost = false;
  bool lacks_memory = false;        ///< a job waits for some, so newer ones take none; in one advance()
  std::vector<busy_time> latest{};  ///< kernels that ended last
};

struct listed_code {
  kernel_code code;
  std::vector<std::uint64_t> blocks_at_once;  ///< on each device
};

struct copy_in_flight {
  std::shared_ptr<array_state> array;
  planned_copy what;
  job_number job;
};

/// The host's access to elements that it waits for.
struct host_access {
  std::shared_ptr<array_state> array;
  host_use use;
  byte_runs bytes;
  job_number turn;
};

}  // namespace ballast::detail
