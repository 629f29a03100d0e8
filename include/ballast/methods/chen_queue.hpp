// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/task.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// The options of a chen_queue. The defaults are the paper's, which found them "empirically" for the GPUs of
/// 2009.
struct chen_options {
  std::uint32_t queues = 2;  ///< queues of each device, 1 .. 16
  /// The capacity of a queue in tasks, 1 .. 256; also the number of HALTs that travel together.
  std::uint32_t tasks_per_queue = 20;
  resident_options resident;                  ///< a step that is idle for idle_timeout ends by itself
  clock::duration timeout = default_timeout;  ///< for calls without a deadline, and for each copy
  bool times = false;  ///< whether last_step() has times; costs two clock reads and three adds per task
  /// A recorder (`&recorder`) that receives for each time step, before wait_all() returns, a span for each
  /// device that ran tasks in the step, from the start of its first task to the end of its last. For a
  /// stopped step it receives these spans in stop() or the destructor. The label is the kernel set's name,
  /// the step is the queue's, and the count `work_ns` is the sum of the tasks' times. Turns `times` on.
  /// Submissions never wait, so none is recorded. Devices count as in the queue's list. The recorder must
  /// outlive the queue.
  trace_target trace_to = {};
};

/// The task queue of Chen, Villa, Krishnamoorthy and Gao (IPDPS 2010) as it was published, with minimal
/// repairs (docs/explanation/chen-queue.md), for comparison: one pool of tasks on the host, a control thread
/// per device that takes up to `tasks_per_queue` tasks whenever one of its device's queues is empty, one HALT
/// per block, and a kernel that is launched again for every time step. A step begins with the first submit()
/// and ends in wait_all(). Every task runs exactly once, on any device, so its arguments must be valid on
/// all. Any number of threads may submit and wait concurrently; only one thread at a time may call start(),
/// close() or stop().
class BALLAST_API chen_queue {
 public:
  /// Allocates everything for at least one device; no kernel runs before the first submit(). `kernels` must
  /// be compiled for_chen_queues and outlive the queue. Throws bad_argument ("devices", "queues",
  /// "tasks_per_queue", "blocks", "trace_to"), ballast::error if the list was compiled without this source or
  /// a resident kernel runs on a device.
  chen_queue(device_list devices, kernel_set const& kernels, chen_options options = {});
  ~chen_queue();  ///< Stops if still running: unexecuted tasks are dropped, so close() first.
  chen_queue(chen_queue const&) = delete;
  chen_queue& operator=(chen_queue const&) = delete;

  /// Adds the tasks to the pool and returns; if no step runs, begins one and launches the kernel on every
  /// device. Never waits for a task: the pool grows in host memory. Throws bad_argument, before anything is
  /// queued, if a task does not suit the list; ballast::error if the queue is closed; and, if a control
  /// thread has ended with an error, that error.
  void submit(task const& one);
  /// Adds several tasks to the pool.
  void submit(std::span<task const> batch);
  /// Adds tasks that were prepared with this queue's kernel set, without a copy and without a check. Throws
  /// as the other overloads.
  void submit(std::shared_ptr<prepared_tasks const> batch);

  /// Ends the step: waits until everything submitted before the call has run and the kernels have ended, at
  /// most until the deadline, or for options.timeout if none is passed. With GPUs the thread polls; with host
  /// devices only, it sleeps. Throws timed_out with the state of every device, stopped, device_lost.
  void wait_all(std::optional<deadline> until = {});
  /// Each device's share of the last finished step, in the order of the devices.
  std::vector<device_share> last_step() const;

  /// Waits as wait_all(), and accepts no more tasks. Idempotent. Throws as wait_all().
  void close(std::optional<deadline> until = {});
  /// Ends the kernels after the tasks that run now; returns the tasks that did not run. Calls of wait_all()
  /// in other threads throw stopped. If a device does not stop in time, stop() throws; call it again then.
  /// After device_lost, tasks that had reached the lost device are not among the returned ones.
  std::vector<task> stop();
  /// Requests what stop() does, without waiting; waits in other threads then throw stopped. Any thread
  /// may call; async-signal-safe.
  void request_stop() noexcept;
  /// Opens the queue again after close() or stop(). Allocates nothing.
  void start();
  /// True if a step runs.
  bool running() const;

  std::size_t size() const;  ///< number of devices
  /// The state of every device, as text: what timed_out carries.
  std::string describe();

 private:
  struct BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
