// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arrays/operations.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/executor/device_thread.hpp"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "split/task_join.hpp"

namespace ballast::detail {

/// An operation as it is passed to an executor.
struct device_operation {
  std::shared_ptr<operation_progress> progress = {};
  bool is_timed = false;            ///< its times are wanted
  progress_list dependencies = {};  ///< the operations that must end before it begins
  /// It fails without being tried if one of these has failed by the time it is issued.
  progress_list data_dependencies = {};
  std::function<void(stream&, task_extent const&)> enqueue = {};  ///< enqueues its own work, or that of all
                                                                  ///< joined operations
  /// If set: called when the operation has ended without failure. An exception makes the operation fail.
  std::function<void()> conclude = {};
  /// If set: called when the operation has failed, or its device is lost, before that is reported.
  std::function<void()> settle = {};
  task_extent extent{};        ///< of a kernel
  bool may_be_joined = false;  ///< with operations before it in its stream, if their launch can take it
  bool is_sequence = false;    ///< its first kernels run while others are enqueued: its time on a GPU begins
                               ///< before that
};

/// The number of waiting operations, from the first on, that one launch carries out if the first is issued
/// now; at least 1. Joins those that may be joined. Joining must not delay the first operations, launch an
/// operation before one that it follows, or skip one that was already issued in between.
std::size_t count_joined(std::deque<device_operation> const& waiting);

/// When kernels and copies of CPU cores ran: converts the times of their events to the host's clock.
class core_clock {
 public:
  struct interval {
    std::int64_t begin_ns, end_ns;
  };

  /// `origin` is an event that was reached at host time `at_ns`.
  core_clock(std::shared_ptr<event> origin, std::int64_t at_ns) : origin_(std::move(origin)), at_ns_(at_ns) {}

  /// The time between two reached events.
  interval between(event const& begin, event const& end) const {
    return {at_ns_ + begin.since(*origin_).count(), at_ns_ + end.since(*origin_).count()};
  }

 private:
  std::shared_ptr<event> const origin_;
  std::int64_t const at_ns_;
};

/// One stream of an executor: its waiting and its issued operations, both in order. Only the executor's
/// thread calls it.
class stream_queue {
 public:
  /// The stream notifies `wake_event`, if it can, when work has ended; `wake_event` must outlive the queue.
  /// On CPU cores a launch that is about to begin a block when `is_stopped` returns true skips the rest and
  /// fails.
  stream_queue(compute_device& device, std::uint32_t executor, event_count& wake_event,
               std::function<bool()> is_stopped = {});

  void add(device_operation work) { waiting_.push_back(std::move(work)); }
  bool is_empty() const { return waiting_.empty() && issued_.empty(); }
  bool has_issued() const { return !issued_.empty(); }

  /// Issues the first waiting operation, and those that may be joined to it, unless it must wait; returns the
  /// issued ones. If the operation must wait for another executor, that executor will wake this one.
  progress_list issue_next();
  /// The first issued operation, if it has ended. Throws the error that kept its end event from being
  /// recorded: the device is then lost.
  std::optional<ended_operation> next_end(core_clock const& clock);
  /// Ends the first operation with the loss: an issued one at once, a waiting one as soon as all operations
  /// that it depends on have ended. Called once the device is lost and the queue closed.
  std::optional<ended_operation> next_end_after_loss(std::exception_ptr const& loss);
  /// True if no issued work runs, or will run.
  bool is_at_rest() const;
  /// Waits, at most until `until`, for work that a lost device still runs.
  void close(deadline until);

  /// The operation whose end was reported last.
  std::shared_ptr<operation_progress> const& last_ended() const { return last_ended_; }

 private:
  struct issued_work {
    std::shared_ptr<operation_progress> progress = nullptr;
    bool is_timed;
    progress_list dependencies = {};
    std::shared_ptr<event> begin = nullptr;  ///< set if it is timed, on CPU cores
    std::shared_ptr<event> end = nullptr;    ///< null if it could not be issued
    std::int64_t issued_ns = 0;
    std::exception_ptr failure = nullptr;
    std::function<void()> conclude = {};  ///< keeps the objects that the work uses
    std::function<void()> settle = {};
    std::shared_ptr<launch_gate> gate = nullptr;
    job_part part{}, launched{};  ///< the units of this operation, and those of the whole launch
    std::size_t joined = 1;       ///< the launch's number of operations; 0 if this is not the first of them
  };

  bool is_at(operation_progress& earlier, auto reached) const;
  bool may_issue(device_operation const& work) const;
  bool is_in_same_stream(operation_progress const& earlier) const;
  issued_work enqueue(device_operation const& work, bool is_tried, std::size_t joined);
  void try_to_enqueue(device_operation const& work, task_extent const& extent, issued_work& result);
  std::shared_ptr<operation_progress> mark_first_issued(issued_work const& launch);
  void wait_for(progress_list const& earlier);
  bool is_first_over();
  void set_times(ended_operation& of, issued_work const& work, core_clock const& clock);
  bool are_reported(progress_list const& earlier) const;
  core_clock::interval times_of(issued_work const& work, core_clock const& clock) const;
  bool are_over(progress_list const& earlier) const;

  event_count& wake_event_;
  std::function<bool()> const is_stopped_;
  std::uint32_t const executor_;
  backend const backend_;
  bool const needs_polling_;
  std::deque<device_operation> waiting_;
  std::deque<issued_work> issued_;
  bool is_lost_ = false;
  std::size_t over_ = 0;  ///< this many issued operations, from the first on, are known to have ended
  std::int64_t last_end_ns_ = 0;
  core_clock::interval launch_ns_{};  ///< of the newest launch that has ended
  std::uint32_t units_told_ = 0;      ///< units of that launch whose share of the time was reported
  std::shared_ptr<operation_progress> last_ended_;
  std::unique_ptr<stream> stream_;  ///< destroyed first, so that no issued work runs any more
};

/// Carries out the operations of one device on its streams, on a thread of its own, and reports their ends.
class device_executor final : private device_work {
 public:
  enum class if_busy { decline, wait };
  /// Called on the executor's thread. Returns whether it accepted the ends; with if_busy::wait it must wait
  /// until it can accept them. Called without ends when the thread has nothing to do.
  using listener =
      std::function<bool(std::uint32_t executor, std::vector<ended_operation> const& ends, if_busy then)>;

  /// `shutdown_timeout`: how long to wait, but at least a second, for work that a lost device still runs.
  /// `is_stopped`: as in stream_queue.
  device_executor(std::shared_ptr<compute_device> device, std::uint32_t number, listener ends,
                  std::chrono::nanoseconds shutdown_timeout, std::function<bool()> const& is_stopped = {});
  device_executor& operator=(device_executor&&) = delete;
  /// The executor must have been closed.
  ~device_executor();

  /// Starts the thread. `executors`: all executors by number, which this one may wake. They must live until
  /// all are closed.
  void start(std::span<std::unique_ptr<device_executor> const> executors);
  /// Accepts operations in the order of their ids. Any thread.
  void submit(device_operation work);
  void wake() { thread_.wake(); }
  /// Waits for accepted operations at most until `until`. Does nothing if start() did not succeed, or the
  /// second time. Any thread but the executor's.
  void close(deadline until);
  /// After close(): true if the device has finished all work issued here. Otherwise the executor must stay
  /// alive.
  bool is_at_rest() const { return std::ranges::all_of(queues_, &stream_queue::is_at_rest); }

 private:
  bool poll(look why) override;
  awaited_work awaited() const override;
  bool is_done() override;
  bool issue_and_poll();
  void drain_inbox();
  bool issue();
  bool may_have_ended() const;
  bool poll_completions();
  bool report_ends(if_busy then);
  bool tell_idle();
  bool poll_queue(stream_queue& queue, auto next);
  void lose(std::exception_ptr loss);
  void wake_watchers(operation_progress const& of);

  std::shared_ptr<compute_device> const device_;
  std::uint32_t const number_;
  listener const listener_;
  std::chrono::nanoseconds const shutdown_timeout_;
  core_clock const clock_;
  std::exception_ptr loss_;
  std::vector<ended_operation> ends_;  ///< ends that were not reported yet
  std::int64_t issued_ns_ = 0;
  std::span<std::unique_ptr<device_executor> const> executors_;

  device_thread thread_;  // before the queues, whose streams may still notify it
  std::vector<stream_queue> queues_;
  std::mutex inbox_mutex_;
  std::vector<device_operation> inbox_;
};

}  // namespace ballast::detail
