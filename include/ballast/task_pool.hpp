// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/task.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// The methods of storing the tasks of a pool and of sharing them among its workers; the first is the
/// default, except of kernels with order_key() on CPU cores.
BALLAST_API std::vector<named_policy> pool_methods();

/// How a pool keeps its tasks, and how its workers run.
struct pool_options {
  /// A name of pool_methods(), which decides in what order tasks run. Empty is the default: `bands` on the
  /// CPU cores of one device if a kernel of the set has an order_key(), else `chunks`. On a GPU ask for
  /// `bands` by name. For any other, compile the set of kernels for_pool_methods
  /// (ballast/methods/pool_methods.cuh).
  std::string method = {};
  /// Capacity in tasks of each working block: 8 to 2^20, rounded up to a power of two; about 48 bytes per
  /// task, 370 with `bands`. For `static` it is only the initial capacity. Tasks that do not fit are moved to
  /// the host and back, which is slow.
  std::uint32_t capacity = 1024;
  /// Joins that can wait at the same time, 64 bytes each, and 100 to 400 joins more for each block's cache.
  /// 0: 2048 for each block. Sets whose kernels make no joins get none. `static` starts with this number and
  /// makes more where memory allows. Each of several devices has this number, less than 2^28 with its caches.
  std::uint32_t joins = 0;
  /// How many blocks work, and how long they may take to stop.
  resident_options resident = {};
  /// How long run() may take if no deadline is passed.
  clock::duration timeout = default_timeout;
  /// A recorder (`&recorder`) that receives a span for each run, also for a stopped one, from the host's call
  /// to the end of the kernel. The span has the kernel set's name and the counts of tasks, steals, joins and
  /// spilled tasks. The recorder must outlive the pool.
  trace_target trace_to = {};
};

/// Counts of one worker in a run. On a GPU whose kernels have one thread, a block's 32 workers are counted
/// together. With `static` each block of the grid counts as a worker, and with `static-per-task` the whole
/// grid.
struct pool_worker_statistics {
  std::uint64_t run = 0;  ///< tasks that ran
  /// Attempts to take tasks from another worker.
  std::uint64_t steals_tried = 0, steals_won = 0;  ///< attempts that brought tasks
  std::chrono::nanoseconds idle{0};  ///< time without a task, from the first unsuccessful search on
};

/// Counts of the tasks of one run.
struct pool_statistics {
  std::uint64_t created = 0;  ///< tasks: the roots, and what tasks created
  std::uint64_t run = 0;      ///< those of `created` that ran to their end
  /// Attempts to steal. On a GPU a look at 32 workers and the attempt that follows it count as one.
  std::uint64_t steals_tried = 0, steals_won = 0;  ///< successful attempts
  std::uint64_t joins = 0;   ///< joins made; each adds a task, its continuation, to `created`
  std::uint64_t shared = 0;  ///< how often a task was published to other workers
  /// The sum over the workers of the most places that each used at any time: a capacity of this many tasks
  /// would have sufficed. A published chunk counts as full. With `bands`, `ring` and `blocking` the most
  /// tasks that a worker saw in the common queue are added; with `static` it is the most tasks in both
  /// arrays. If the host held more tasks at some time, the figure is that number instead.
  std::uint64_t max_stored = 0;
  std::uint64_t launches = 0;  ///< kernel launches: 1 unless tasks did not fit; for `static` one per level
  std::uint64_t spilled = 0;   ///< tasks that were moved to the host and back
  /// The total of block.add_to_sum(), which wraps; 0 if no kernel calls it.
  std::uint64_t sum = 0, max = 0;  ///< the greatest value passed to block.raise_max(), else 0
  /// By block; their sums are the counts above.
  std::vector<pool_worker_statistics> workers;
};

/// A run ended before all tasks had run. Every task that was created has run, is in unexecuted(), or is the
/// continuation of a join whose children have not all finished. The joins that tasks name are kept until the
/// pool has completed another run, so these tasks may be passed to run() of the same pool. The exception: if
/// the run ran out of joins, or a kernel created more than it declares, the joins are dropped.
class BALLAST_API pool_stopped : public stopped {
 public:
  /// For the pool: `why` ends the sentence of what().
  pool_stopped(std::string_view device, std::string_view why, std::vector<task> unexecuted,
               pool_statistics statistics);

  /// The created tasks that did not run, ready for run() of the same pool.
  std::vector<task> const& unexecuted() const noexcept { return unexecuted_; }
  /// Counts up to the stop.
  pool_statistics const& statistics() const noexcept { return statistics_; }

 private:
  std::vector<task> unexecuted_;
  pool_statistics statistics_;
};

/// Runs tasks that create tasks, on the workers of one device or several, which balance them. Only one thread
/// at a time may call run(), which refuses a second call; any thread may call request_stop().
class BALLAST_API task_pool {
 public:
  /// Allocates memory and loads the kernels. `kernels` was compiled for pools, and must outlive the pool.
  /// Throws bad_argument with the option's name, device_lost, and ballast::error if the set was compiled
  /// without the method or a resident kernel runs on the device.
  task_pool(std::shared_ptr<compute_device> device, kernel_set const& kernels, pool_options options = {});
  /// Makes a pool over 1 to 16 devices: CPU cores alone, or GPUs and parts of GPUs whose kernels reach each
  /// other's memory, also by atomic operations. Workers without tasks ask those of other devices for some.
  /// Several devices require kernels compiled for_pools_over_devices (ballast/methods/pool_methods.cuh) and
  /// the method `chunks`. The options apply to each device, except `resident.idle_timeout`, which has no
  /// effect. Every device must reach all memory that tasks use, and atomic operations on memory that several
  /// devices use must have scope::system. Kernels on parts of one GPU must run side by side, which
  /// CUDA_LAUNCH_BLOCKING and sanitizers prevent. A run has one span, and the statistics of all devices'
  /// workers in the order of the list. Throws as the other constructor, and bad_argument ("devices").
  task_pool(device_list const& devices, kernel_set const& kernels, pool_options options = {});
  ~task_pool();
  task_pool(task_pool const&) = delete;
  task_pool& operator=(task_pool const&) = delete;

  /// Runs the roots and every task that they create, in any order, and waits until all have run, at most
  /// until the deadline, or for options.timeout if none is passed; the results are then visible to the host.
  /// The memory that tasks use must be ready before the call (copies completed). May allocate if there are
  /// more roots than in any earlier run, or if members over 40 bytes (listed_kernel::by_reference) need more
  /// pinned memory. Never interrupts a running task, or, with `static`, a level.
  ///
  /// Throws bad_argument, before anything has run, if a root does not suit the set; ballast::error if another
  /// run() is active or its kernel has not ended, or if other resident kernels, which it names, leave too few
  /// blocks of the device (options.resident.blocks); pool_stopped at the deadline, after request_stop(), when
  /// no capacity is left for tasks or joins, and when a kernel creates more than it declares; timed_out if
  /// even then the kernel does not end; device_lost.
  pool_statistics run(std::span<task const> roots, std::optional<deadline> until = {});
  /// Runs a root task and every task that it creates.
  pool_statistics run(task const& root);

  /// How far the present or last run is. Any thread may call at any time, while another is in run().
  /// On cores it reads what workers count anyway, of tasks that change meanwhile: a few may be missing in
  /// `done` or stand in `waiting` too long. It waits for no task, and a task costs nothing more. On a GPU
  /// workers report their counts only when they leave, so `submitted` and `done` have the roots and the
  /// launches that have ended, `waiting` is 0, and only `busy` is of this moment. That takes a copy from each
  /// GPU, for which the call waits, 0.1 s each at most; a late copy leaves `busy` as it was. With `static`
  /// and `static-per-task`, on all devices, `done` has the levels that have ended, `waiting` the tasks of the
  /// present one, and `busy` is 1 during a level. Throws error in a child of fork().
  work_progress progress() const;

  /// Requests that the current run ends after its running tasks; run() then throws pool_stopped. Does nothing
  /// if no run is active. Does not wait; any thread may call; async-signal-safe.
  void request_stop() noexcept;

  /// The name of the method that the pool was made with, one of pool_methods().
  std::string_view method() const;
  /// The value of block.workers() in tasks: the blocks that work; on a GPU, where kernels have one thread,
  /// the threads of these blocks, 32 in each. A run beside other resident kernels may have fewer. With
  /// `static-per-task`, where the workers of a level are the blocks of its grid, it is only an upper bound:
  /// 4294967295, the most tasks that a level can have. Over several devices it is the sum, and a task sees
  /// the number of its own device.
  std::uint32_t workers() const;
  /// Bytes allocated for the pool, device and pinned memory together.
  std::size_t memory_bytes() const;
  /// The device that the pool runs on, the first of several.
  compute_device& device() const;
  /// All devices that the pool runs on.
  device_list const& devices() const;

 private:
  struct BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
