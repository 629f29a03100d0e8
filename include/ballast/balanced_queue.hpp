// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/policy/feed.hpp"
#include "ballast/task_queue.hpp"

namespace ballast {

/// How a balanced_queue deals its backlog out, and how it makes the queue of each device.
struct balanced_options {
  std::string policy = "drain";    ///< a name of feed_policies()
  std::uint32_t fixed_batch = 20;  ///< for "fixed"
  queue_options queue;             ///< of each device
};

/// Names a batch of the common backlog; cheap to copy. Refused (bad_argument "ticket") by other queues and
/// after the next start().
struct backlog_ticket {
  /// Counts the starts of all such queues, so that another run's ticket is refused.
  std::uint64_t run = 0;
  /// Counts the batches of the run.
  std::uint64_t number = 0;
};

/// What one device did of a batch. Times need balanced_options::queue.times; they are 0 otherwise.
struct device_share {
  /// How many tasks of the batch the device ran.
  std::uint64_t tasks = 0;
  execution when;  ///< first begin to last end on this device: its busy time; host clock, ns
};

/// One backlog on the host for several devices, each with a resident kernel and a feeding thread that takes
/// from the backlog as its device drains (Chen et al. 2010, section 4.4, "higher level task queue"). Every
/// task runs exactly once, on whichever device was free first, so its arguments must be valid on every device
/// of the list. Submitting and waiting: any number of threads. start(), close(), stop(): one thread at a
/// time.
class balanced_queue {
 public:
  /// Starts a task_queue on every device (at least one). Throws like task_queue, bad_argument ("policy",
  /// "devices").
  balanced_queue(device_list devices, compiled_kernels const& kernels, balanced_options options = {});
  ~balanced_queue();  ///< Stops if still running: unexecuted tasks are dropped, so close() first.
  balanced_queue(balanced_queue const&) = delete;
  balanced_queue& operator=(balanced_queue const&) = delete;

  /// Copies the batch to the end of the backlog and returns. Never blocks on a device: the backlog grows with
  /// host memory. Throws bad_argument before anything is queued if a task does not suit the list;
  /// ballast::error if the queue is closed; what ended a feeding thread, if one has ended.
  backlog_ticket submit(std::span<task const> batch);
  /// The same for a batch of one task.
  backlog_ticket submit(task const& one);
  /// The same for tasks that were prepared with this queue's kernel list, without a copy and without a check:
  /// for programs that submit the same tasks in every step.
  backlog_ticket submit(std::shared_ptr<prepared_tasks const> batch);

  /// Whether every task of the batch has run; then its results are visible to the host. Does not wait. Throws
  /// bad_argument ("ticket").
  bool finished(backlog_ticket which) const;
  /// Throw timed_out with the state of every device, queue_stopped, device_lost. With GPUs the thread
  /// polls, with host devices alone it sleeps.
  void wait(backlog_ticket which);
  /// The same until a deadline of its own instead of queue_options::timeout.
  void wait(backlog_ticket which, deadline until);
  /// Waits for everything that was submitted before the call, and throws as wait() does.
  void wait_all();
  /// The same until a deadline of its own.
  void wait_all(deadline until);

  /// What each device did of a finished batch, in the order of the devices. The record is dropped by
  /// forget().
  std::vector<device_share> shares(backlog_ticket which) const;
  /// Drops the record of a finished batch: for programs that submit without end. finished() stays true.
  void forget(backlog_ticket which);

  /// Runs everything accepted, then ends the kernels. Idempotent. Throws like wait().
  void close();
  /// The same until a deadline of its own instead of queue_options::timeout.
  void close(deadline until);
  /// Ends the kernels after the tasks that run now; returns the tasks that did not run. (Those that name
  /// joins cannot be submitted again: a join is one device's, a task goes to any.) Threads in wait() get
  /// queue_stopped. If a device does not stop in time it throws; what was collected comes with the next call.
  std::vector<task> stop();
  /// Asks for what stop() does; waits in other threads then throw queue_stopped. Async-signal-safe.
  void request_stop() noexcept;
  /// Starts again after close() or stop(); the devices allocate nothing.
  void start();

  std::size_t size() const;  ///< devices
  /// The queue of a device, which counts from 0 in the order of the list. Throws std::out_of_range from
  /// size() on. Only look at it: who submits to it directly bypasses the backlog.
  task_queue& on(std::size_t device);
  /// The state that timed_out carries: the backlog, and task_queue::describe() of every device.
  std::string describe();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
