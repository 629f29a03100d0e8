// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "backlog.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// The time steps of a chen_queue: whether one runs, whether it is to end, how many devices are still at it.
/// Any thread may call.
class chen_steps {
 public:
  chen_steps(backlog& pool, std::size_t devices) : pool_(&pool), devices_(devices) {}

  void open();         ///< before the control threads start
  void begin();        ///< a step begins unless one runs: tasks are there
  void request_end();  ///< the step that runs ends when the pool is empty
  void leave();        ///< control threads end when no step runs
  void fail();         ///< no further step; the control threads end
  void request_stop() noexcept { stop_requested_.store(true); }

  bool stop_requested() const { return stop_requested_.load(); }
  bool ending() const { return ending_.load(); }
  bool running() const;
  std::uint64_t current() const;  ///< the number of the last step that began

  /// For control threads: sleeps until a step later than `done` begins and returns its number; 0: leave.
  std::uint64_t await_begin(std::uint64_t done);
  /// A device's kernel has ended. The last one ends the step; tasks that came too late begin the next.
  void device_done();

  event_count to_control, to_waiters;

 private:
  void begin_locked();

  backlog* pool_;
  std::size_t devices_;
  mutable std::mutex mutex_;
  std::uint64_t step_ = 0;
  std::size_t at_work_ = 0;
  bool broken_ = false;
  std::atomic<bool> ending_ = false, leaving_ = false, stop_requested_ = false;
};

}  // namespace ballast::detail
