// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/task_queue.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// The feed policies by name: each decides how many tasks of a balanced_queue a device gets, and when. "rate"
/// is the default.
BALLAST_API std::vector<named_policy> feed_policies();

/// How a balanced_queue distributes its backlog, and how it makes the queue of each device.
struct balanced_options {
  std::string policy = "rate";     ///< a name of feed_policies()
  std::uint32_t fixed_batch = 20;  ///< tasks per feed of the policy "fixed", at least 1
  /// Options of each device's task_queue; trace_to counts devices in the order of the list. The policy
  /// "parts" over several devices turns `times` on, unless tasks may create tasks.
  queue_options queue = {};
};

/// One device's share of a batch. Times need balanced_options::queue.times, which the policy "parts" turns
/// on; otherwise they are 0.
struct device_share {
  /// The number of the batch's tasks that the device ran.
  std::uint64_t tasks = 0;
  execution when;  ///< from the first task's start to the last one's end on this device; host clock, ns
};

/// One backlog on the host for several devices. Each device has a resident kernel and a feeding thread that
/// takes tasks from the backlog as the device drains (Chen et al. 2010, section 4.4, "higher level task
/// queue"). Every task runs exactly once, on whichever device has a free slot first, so its arguments must be
/// valid on every device of the list. Any number of threads may submit and wait concurrently; only one thread
/// at a time may call start(), close() or stop().
class BALLAST_API balanced_queue {
 public:
  /// Starts a task_queue on every device (at least one). `kernels` must outlive the queue. Throws as the
  /// constructor of task_queue, and bad_argument ("policy", "devices").
  balanced_queue(device_list devices, kernel_set const& kernels, balanced_options options = {});
  ~balanced_queue();  ///< Stops if still running: unexecuted tasks are dropped, so close() first.
  balanced_queue(balanced_queue const&) = delete;
  balanced_queue& operator=(balanced_queue const&) = delete;

  /// Copies the batch to the backlog, behind the batches whose priority is at least `options.priority`, and
  /// returns. Never waits for a device: the backlog grows in host memory. Throws bad_argument, before
  /// anything is queued, if a task does not suit the set, or if "after", "until" or "max_workers" is given;
  /// ballast::error if the queue is closed; and, if a feeding thread has ended with an error, that error.
  completion submit(std::span<task const> batch, submit_options const& options = {});
  /// Adds a batch of one task to the backlog.
  completion submit(task const& one, submit_options const& options = {});
  /// Adds tasks that were prepared with this queue's kernel set to the backlog, without a copy and without a
  /// check: for programs that submit the same tasks in every step. Throws as the other overloads.
  completion submit(std::shared_ptr<prepared_tasks const> batch, submit_options const& options = {});
  /// Queues a graph for one device, which runs it whole: the device that is expected to be free first, by its
  /// tasks and the planned lengths of its graphs. Of several such it is the one whose graphs so far are
  /// shorter together. The graph stays there, and each submission begins after the last one. On CPU cores it
  /// moves once its submissions have ended, if another device will be free earlier by more than four lengths
  /// of the graph; with GPUs in the list it never does. So its arguments must be valid on every device. Waits
  /// as task_queue::submit() of a graph. Throws as that, also later through the completion, and as submit()
  /// of a batch if the queue is closed or a feeding thread has ended. The completion has no shares(), and
  /// needs no forget().
  completion submit(task_graph& graph);

  /// Waits until everything that was submitted before the call has run, at most until the deadline, or for
  /// balanced_options::queue.timeout if none is passed; so does wait() of a completion for its batch. With
  /// GPUs the thread polls; with host devices only, it sleeps. Throws timed_out with the state of every
  /// device, stopped, device_lost, and error in a continuation.
  void wait_all(std::optional<deadline> until = {});

  /// Each device's share of a batch that has run, in the order of the devices. forget() drops the record.
  /// Throws ballast::error if the batch has not run, and bad_argument ("completion") for one that this queue
  /// did not give in its present run.
  std::vector<device_share> shares(completion const& which) const;
  /// Drops the record of a batch that has run or was cancelled, for programs that submit without end. The
  /// completion stays ready, or failed if cancel() returned tasks of it: a few bytes for each such batch stay
  /// until start(). Throws as shares().
  void forget(completion const& which);

  /// Takes back the tasks of a batch that no device was given yet, and returns them. If there are any, the
  /// completion ends once devices have run the others, and fails with stopped, whose unfinished() counts the
  /// tasks returned; otherwise nothing changes. Grid tasks come back as tasks of a block each, since the
  /// backlog has only those. wait_all() and close() do not fail for that, and stop() does not return these
  /// tasks again. Any thread may call; does not wait. Throws bad_argument ("completion") as shares(), also
  /// for a graph's.
  std::vector<task> cancel(completion const& which);
  /// Counts how far the queue and each of its devices are. Any thread may call at any time. Waits for copies
  /// from GPUs as task_queue::progress(). Throws error in a child of fork().
  queue_progress progress() const;

  /// Returns the created tasks that devices handed out after ask_for_created() of on(device). `batch` is
  /// completion::work().first of a task's batch. A batch's tasks are there before its completion is ready.
  /// Any thread.
  std::vector<detail::created_task> take_created();

  /// Accepts no more tasks, runs the accepted ones, and ends the kernels; waits for that. Idempotent. Throws
  /// as wait().
  void close(std::optional<deadline> until = {});
  /// Ends the kernels after the tasks that run now, waits for that, and returns the tasks that did not run,
  /// but none of a graph. (Tasks that name joins cannot be submitted again: a join belongs to one device, but
  /// a task may go to any.) Waits in other threads throw stopped. Throws timed_out if a device does not stop
  /// in time; the next call returns the tasks collected so far.
  std::vector<task> stop();
  /// Requests what stop() does, without waiting; waits in other threads then throw stopped. Any thread
  /// may call; async-signal-safe.
  void request_stop() noexcept;
  /// Starts the kernels again after close() or stop(); allocates nothing on the devices.
  void start();

  std::size_t size() const;  ///< number of devices
  /// The queue of one device, by its index in the list from 0. Throws std::out_of_range beyond the list.
  task_queue& on(std::size_t device);
  /// The state of every device, as text: what timed_out carries.
  std::string describe();

 private:
  friend class task_graph;
  void plan(task_graph& graph);

  struct BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
