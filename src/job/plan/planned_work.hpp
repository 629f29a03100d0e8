// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "arrays/task_planner.hpp"
#include "plan/job_record.hpp"

namespace ballast::detail {

inline op_stream stream_of(std::uint32_t device, device_stream stream) {
  return {device, std::uint32_t(stream)};
}

/// One copy of equal rows, as a stream takes it. Positions count from the first byte of each place's memory.
struct row_copy {
  std::size_t to = 0, from = 0;
  std::size_t row_bytes = 0, rows = 1;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< set if there are several rows
};

/// A planned copy that has not ended.
struct copy_work {
  std::shared_ptr<array_state> array;
  planned_copy what;
  job_number job;              ///< the job that needs it; none for host accesses and evictions
  std::vector<row_copy> rows;  ///< kept until it is passed to its executor
};

/// A planned kernel that has not ended: one piece of a task.
struct kernel_work {
  op_id op;
  std::shared_ptr<planned_task> task;
  std::size_t piece;
  bool may_be_joined = false;  ///< to the previous kernel of its device
};

/// Identifies an exchange, with the same value on both of its ranks: the step, and the exchange's number in
/// it.
struct exchange_id {
  std::uint64_t step = 0;
  std::uint32_t index = 0;

  auto operator<=>(exchange_id const&) const = default;
};

/// Bytes of host memory that are sent to another rank or received from one.
struct exchanged_bytes {
  exchange_id id;
  bool is_sent = false;
  std::uint32_t peer = 0;
  std::vector<byte_range> bytes;  ///< ascending
};

/// Bytes in transit from or to another rank.
struct exchange_work {
  op_id op;
  std::shared_ptr<array_state> array;
  exchanged_bytes what;
};

using planned_work = std::variant<kernel_work, copy_work, exchange_work>;

/// Accepts planned work, in the order of the operations. All dependencies of the work were accepted before.
class work_sink {
 public:
  virtual ~work_sink() = default;
  virtual void take(planned_work work) = 0;
  /// True if its device has not received the operation yet: further work may then be joined to it.
  virtual bool waits_to_be_issued(op_id) const { return false; }
};

/// Objects that planning needs no more. The mutex's holder destroys them after unlocking: freeing pinned
/// memory waits for devices, and factories are the user's.
struct retired_objects {
  std::vector<std::shared_ptr<void const>> any;
  /// Jobs that have ended. The submitting thread frees them fastest, since it allocated most of their memory.
  std::vector<std::shared_ptr<job_record>> jobs;
  /// Arrays, and objects that may be the last owner of one: for executors, since no submitter should wait.
  std::vector<std::shared_ptr<void const>> with_arrays;

  bool is_empty() const { return any.empty() && jobs.empty() && with_arrays.empty(); }
};

}  // namespace ballast::detail
