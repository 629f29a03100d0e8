// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backlog.hpp"
#include "ballast/detail/queue/chen_source.cuh"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// The time steps of a chen_queue: whether a step runs, whether it must end, and how many devices still work
/// on it. Any thread may call.
class chen_steps {
 public:
  chen_steps(backlog& pool, std::size_t devices) : pool_(&pool), devices_(devices) {}

  /// Resets the state. Called before the control threads start.
  void open() {
    std::lock_guard const hold(mutex_);
    at_work_ = 0;
    broken_ = false;
    ending_ = leaving_ = stop_requested_ = false;
  }
  /// Begins a step, unless one runs. Called when tasks are there.
  void begin() {
    std::lock_guard const hold(mutex_);
    begin_locked();
    to_control.notify();
  }
  /// Makes the current step end once the pool is empty.
  void request_end() {
    std::lock_guard const hold(mutex_);
    if (at_work_ == 0 || ending_) return;
    ending_ = true;
    to_control.notify();
  }
  /// Makes the control threads end once no step runs.
  void leave() {
    leaving_ = true;
    to_control.notify();
  }
  /// Makes the control threads end; no further step begins.
  void fail() {
    std::lock_guard const hold(mutex_);
    broken_ = true;
    leaving_ = true;
    to_control.notify();
    to_waiters.notify();
  }
  void request_stop() noexcept { stop_requested_.store(true); }

  bool stop_requested() const { return stop_requested_.load(); }
  bool ending() const { return ending_.load(); }
  bool running() const {
    std::lock_guard const hold(mutex_);
    return at_work_ > 0 && !broken_;
  }
  /// The number of the last step that began.
  std::uint64_t current() const {
    std::lock_guard const hold(mutex_);
    return step_;
  }

  /// For control threads: sleeps until a step later than `done` begins and returns its number; 0: leave.
  std::uint64_t await_begin(std::uint64_t done) {
    for (;;) {
      auto const epoch = to_control.epoch();
      if (leaving_) return 0;
      if (auto const step = current(); step != done) return step;
      to_control.wait_past(epoch, clock::now() + std::chrono::seconds(1));
    }
  }
  /// Records that a device's kernel has ended. The last device ends the step; if tasks came too late, a next
  /// step begins.
  void device_done() {
    std::lock_guard const hold(mutex_);
    if (--at_work_ > 0) return;
    if (pool_->waiting() > 0) begin_locked();
    to_waiters.notify();
  }

  event_count to_control, to_waiters;

 private:
  void begin_locked() {
    if (at_work_ > 0 || broken_) return;
    ++step_;
    at_work_ = devices_;
    ending_ = false;
    to_control.notify();
  }

  backlog* pool_;
  std::size_t devices_;
  mutable std::mutex mutex_;
  std::uint64_t step_ = 0;
  std::size_t at_work_ = 0;
  bool broken_ = false;
  std::atomic<bool> ending_ = false, leaving_ = false, stop_requested_ = false;
};

/// The queues of one device and the host's side of them (Chen et al. 2010, Algorithm 2). The host's copies
/// use a stream of their own, from pinned memory, since a copy from pageable memory would wait. One thread at
/// a time, except the counts, which any thread may read.
class chen_memory {
 public:
  chen_memory(std::shared_ptr<compute_device> device, chen_options const& options);

  /// Restores the state before the first task. Only while no kernel runs. Waits for the stream.
  void clear();
  chen_source_ref source(resident_control const& control);
  std::uint32_t queues() const { return std::uint32_t(written_.size()); }
  std::uint32_t capacity() const { return capacity_; }

  /// True if all written tasks were consumed: line 8 of Algorithm 2.
  bool is_empty(std::uint32_t queue) const { return consumed(queue) == written(queue); }
  /// h_written of the paper.
  std::uint64_t written(std::uint32_t queue) const { return written_[queue].load(); }
  /// h_consumed of the paper.
  std::uint64_t consumed(std::uint32_t queue) const;
  /// Writes 1 .. capacity() tasks into an empty queue: lines 9 to 14 of Algorithm 2. Waits only for the first
  /// copy. If it throws, no block will run any of these tasks.
  void write(std::uint32_t queue, std::span<task_record const> tasks, deadline until);
  /// Asks the blocks to leave, without waiting.
  void write_stop();

  /// The number of tasks in the last refill that no block claimed; these are the refill's first tasks. Call
  /// it only while no kernel runs. Waits for the stream.
  std::uint64_t unclaimed(std::uint32_t queue);
  /// Resets the times, if tasks are timed. Call it before a kernel starts.
  void forget_times();
  /// The times, on the device's clock, once the kernel has ended.
  batch_times read_times();

 private:
  std::uint64_t* staged(std::uint32_t queue) const { return &staging_[std::size_t(queue) * stride_]; }
  std::uint64_t* load(std::uint32_t queue) const { return loads_.data() + std::size_t(queue) * stride_; }
  void await_copies(deadline until);

  clock::duration timeout_;  ///< of each wait for the stream
  std::uint32_t capacity_, stride_;
  device_buffer<chen_counts> counts_;
  device_buffer<std::uint64_t> loads_, stop_;
  device_buffer<batch_times> times_;
  pinned_buffer<std::uint64_t> consumed_;  ///< h_consumed, a cache line per queue
  pinned_buffer<std::uint64_t> staging_, staged_written_;
  pinned_buffer<std::uint64_t> staged_one_;
  pinned_buffer<batch_times> staged_times_;
  std::vector<std::atomic<std::uint64_t>> written_;  ///< h_written
  std::unique_ptr<stream> copies_;
};

/// One device of a chen_queue and its control thread. In every time step it launches the kernel, refills the
/// device's queues from the pool as they become empty, sends the HALTs and waits for the kernel's end.
class chen_device {
 public:
  chen_device(std::shared_ptr<compute_device> device, kernel_set const& kernels, chen_options const& options,
              std::size_t index, backlog& pool, chen_steps& steps);

  void start();  ///< the control thread
  void join();   ///< after chen_steps::leave() or fail()
  void request_stop() noexcept { kernel_.request_stop(); }
  /// Call it after a stop and join(): waits for the kernel's end and returns unexecuted tasks to the pool.
  void collect();
  /// Throws device_lost.
  void check() const { device_->check(); }
  /// True if the kernel was not joined: the memory must stay.
  bool claimed() const { return kernel_.claimed(); }
  device_share last_step() const;
  std::string describe();

 private:
  /// The content of one enqueue into a queue.
  struct refill {
    std::vector<backlog_piece> pieces;
    bool complete = true;  ///< else no block runs any of it
  };

  void run();
  void run_step();
  void launch();
  void feed();
  bool refill_next();
  std::vector<backlog_piece> take_from_pool();
  void write_tasks(std::uint32_t queue, std::vector<backlog_piece> pieces);
  void send_halts();
  void await_end();
  void record_step();
  execution times_of_step();
  void trace_step(std::uint64_t tasks, execution const& when) const;

  std::uint64_t tasks_given() const;
  bool all_empty() const;
  std::uint32_t turn();
  void throw_if_stopped(std::uint32_t looks);
  void back_off(std::uint32_t looks) const;
  void sleep_idle(std::uint64_t epoch, std::uint32_t looks);
  void abandon_kernel() noexcept;
  bool try_join();
  std::uint64_t give_back(std::uint32_t queue, bool sound);
  void record_given(backlog_piece const& piece);

  std::shared_ptr<compute_device> device_;
  kernel_set const* kernels_;
  chen_options const* options_;
  std::size_t index_;
  backlog* pool_;
  chen_steps* steps_;
  resident_kernel kernel_;
  chen_memory memory_;
  std::vector<refill> refills_;            ///< the last one of each queue
  std::vector<task_record> staged_tasks_;  ///< of one refill
  std::vector<task_record> halts_;
  std::vector<backlog_piece> given_;  ///< the pieces given in this step; only the count matters
  std::uint32_t next_ = 0;            ///< i of Algorithm 2
  std::uint64_t step_ = 0;            ///< the last step that this device finished
  bool used_ = false;  ///< the device took part in a step that was not recorded, so collect() has work
  clock::time_point idle_since_;
  mutable std::mutex share_mutex_;
  device_share share_;
  std::thread thread_;
};

}  // namespace ballast::detail
