// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/task.hpp"

namespace ballast {

/// A way to keep and to share the tasks of a pool.
struct pool_method {
  /// As pool_options::method takes it.
  std::string_view name, summary;  ///< one sentence for a help text
};

/// Every method; the first is the default.
std::span<pool_method const> pool_methods();

/// How a pool keeps its tasks, and how its workers run.
struct pool_options {
  std::string method = "chunks";  ///< a name of pool_methods()
  /// Tasks for which there is room, for each worker, 8 to 2^20, rounded up to a power of two; of `static`, to
  /// begin with. More tasks than fit are moved to the host and back, which is slow. About 48 bytes each.
  std::uint32_t capacity = 1024;
  /// Joins that can wait at a time, 64 bytes each, and some 100 to 400 more for each worker's cache; 0: 2048
  /// for each worker. None are kept for lists whose kernels make none; `static` begins with so many and makes
  /// more where memory allows.
  std::uint32_t joins = 0;
  /// How many blocks work, and how long they may take to stop.
  detail::resident_options resident;
  /// How long run() works if it is given no deadline.
  clock::duration timeout = std::chrono::minutes(10);
};

/// What one worker did in a run. Of `static`, a worker is a block of the grid; of `static-per-task`, all
/// blocks together are.
struct pool_worker_statistics {
  std::uint64_t run = 0;  ///< tasks
  /// Looks at other workers for tasks.
  std::uint64_t steals_tried = 0, steals_won = 0;  ///< looks that brought tasks
  std::chrono::nanoseconds idle{0};                ///< with nothing to do, after the first look around
};

/// What the tasks of one run came to.
struct pool_statistics {
  std::uint64_t created = 0;  ///< tasks: the roots, and what tasks created
  std::uint64_t run = 0;      ///< of these, run to their end
  /// On a GPU a look at 32 workers, and the attempt that follows it, count as one.
  std::uint64_t steals_tried = 0, steals_won = 0;  ///< looks that brought tasks
  std::uint64_t joins = 0;   ///< joins that were made; each adds a task, its continuation, to `created`
  std::uint64_t shared = 0;  ///< how often a task was put where other workers could take it
  /// The sum of the most places that each worker used at any time, a published chunk counted whole: room for
  /// so many tasks would have sufficed; or the most tasks that were with the host, if that is more. Of `ring`
  /// and `blocking` with the most that a worker saw in the queue, of `static` the most tasks in both arrays.
  std::uint64_t max_stored = 0;
  std::uint64_t launches = 0;  ///< of the kernel: 1 unless tasks did not fit, or a launch per level
  std::uint64_t spilled = 0;   ///< tasks that were moved to the host and back
  /// By worker; their sums are the counts above.
  std::vector<pool_worker_statistics> workers;
};

/// A run ended before all tasks had run. Every task that was created has run, is in unexecuted(), or is the
/// continuation of a join whose children have not all finished. The joins that tasks name stay as they are
/// until the pool has completed another run, so these tasks may be given to run() of the same pool; but not
/// if the joins did not suffice, or a kernel made more than it declares: then they are forgotten.
class pool_stopped : public error {
 public:
  /// For the pool: `why` ends the sentence of what().
  pool_stopped(std::string_view device, std::string_view why, std::vector<task> unexecuted,
               pool_statistics statistics);

  /// What was created and did not run, ready for run() of the same pool.
  std::vector<task> const& unexecuted() const noexcept { return unexecuted_; }
  /// What was done until then.
  pool_statistics const& statistics() const noexcept { return statistics_; }

 private:
  std::vector<task> unexecuted_;
  pool_statistics statistics_;
};

/// Runs tasks that create tasks, on the workers of one device, which balance them among themselves. One
/// thread at a time may call run(), which refuses a second; any thread request_stop().
class task_pool {
 public:
  /// Allocates everything and loads the list's kernels. `kernels` was made by BALLAST_POOL_KERNELS and must
  /// outlive the pool. Throws bad_argument (the option's name), device_lost, and ballast::error if the list
  /// is not for pools or the device has a resident kernel.
  task_pool(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
            pool_options options = {});
  ~task_pool();
  task_pool(task_pool const&) = delete;
  task_pool& operator=(task_pool const&) = delete;

  /// Runs the roots and every task that they create, in any order, and returns when all have run; results are
  /// visible to the host then. May allocate, if there are more roots than before. Memory that tasks use must
  /// be ready now (copies completed). Tasks that run are not interrupted; by `static`, whole levels. Throws
  /// ballast::error if another run() is at work or its kernel has not ended, bad_argument before anything has
  /// run if a root does not suit the list; pool_stopped at the deadline, after request_stop(), when no room
  /// is left for tasks or joins, and when a kernel creates more than it declares; timed_out if the
  /// kernel does not end even so; device_lost.
  pool_statistics run(std::span<task const> roots);
  /// The same until a deadline of its own instead of pool_options::timeout.
  pool_statistics run(std::span<task const> roots, deadline until);
  /// The same for one root.
  pool_statistics run(task const& root);

  /// Asks the present run to end after the tasks that run now; it throws pool_stopped. Nothing if none runs.
  /// Async-signal-safe; does not wait.
  void request_stop() noexcept;

  /// The name of the method that the pool was made with.
  std::string_view method() const;
  /// How many blocks work; where kernels have one thread, each thread of these takes tasks.
  std::uint32_t workers() const;
  /// Bytes allocated for the pool, on the device and pinned.
  std::size_t memory_bytes() const;
  /// The device that the pool runs on.
  compute_device& device() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
