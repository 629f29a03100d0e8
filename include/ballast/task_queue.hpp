// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/stream.hpp"
#include "ballast/task.hpp"
#include "ballast/task_pool.hpp"

namespace ballast {

/// Where a task_queue keeps its ring: the slots that blocks take tasks from, and the words that say which of
/// them are free (Chen et al. 2010, section 4.2, had to keep them on the device). On a host device every home
/// is the same memory. Cheap to copy.
class ring_home {
 public:
  /// The memory of the queue's device, which its blocks reach fastest.
  static ring_home own_device() { return {}; }
  /// Pinned host memory. On a GPU each look of a waiting block may be a read over the bus, where the server's
  /// reads of the submission rings have to pass too: use few resident blocks.
  static ring_home host() {
    ring_home made;
    made.is_host_ = true;
    return made;
  }
  /// The memory of a device that the queue's device can address (compute_device::reach), which task_queue
  /// asks; it is held until the queue is gone. Making and destroying the queue allocates and frees there,
  /// which may wait for a kernel that is resident on that device. Throws bad_argument ("ring") if null.
  static ring_home peer(std::shared_ptr<compute_device> whose) {
    if (whose == nullptr) throw_bad_argument("ring", "a peer that is null", "a device");
    ring_home made;
    made.peer_ = std::move(whose);
    return made;
  }

  /// Whether it is pinned host memory.
  bool is_host() const { return is_host_; }
  /// Null unless made by peer().
  std::shared_ptr<compute_device> const& peer_device() const { return peer_; }

 private:
  ring_home() = default;

  bool is_host_ = false;
  std::shared_ptr<compute_device> peer_;
};

/// Names what one submit() accepted; cheap to copy. Valid for the queue and the run that gave it,
/// refused (bad_argument "ticket") by others.
struct ticket {
  /// Which submission ring took the tasks, from 0.
  std::uint32_t ring_index = 0;
  std::uint32_t run = 0;  ///< of all queues of the process
  /// The batches of that ring.
  std::uint64_t first_batch = 0, last_batch = 0;  ///< inclusive; first > last: nothing to wait for
};

/// Of queues whose tasks create tasks: those of a list made by BALLAST_SPAWNING_KERNELS.
struct spawned_options {
  /// Tasks on the device beside those in the ring, for each worker, 8 to 2^20, rounded up to a power of two.
  /// If created tasks find no room the queue stops. About 48 bytes each.
  std::uint32_t capacity = 1024;
  /// Joins that can wait at a time, 64 bytes each; 0: 2048 for each worker, none for lists that make none.
  std::uint32_t joins = 0;
};

/// How large a queue is, where it lies, and what it records.
struct queue_options {
  /// Tasks that fit into a submission ring, and into the ring on the device: 2 .. 2^24, rounded up to a power
  /// of two. Memory is proportional to it: with 8 submission rings about 1200 bytes per task of capacity,
  /// host and device together.
  std::uint32_t capacity = 8192;
  /// Submission rings for submitting threads, 1 .. 32. Threads beyond that many share submission rings.
  std::uint32_t submission_rings = 8;
  /// Where the ring lies; all else that the device works with stays in its own memory.
  ring_home ring = ring_home::own_device();
  /// How many blocks stay on the device, and how long they may take to start and to stop.
  detail::resident_options resident;
  /// Room for what tasks create; not used by lists whose kernels create none.
  spawned_options spawned;
  /// False: the queue is made closed, for start() to open. CUDA may let an allocation wait for a kernel that
  /// runs on any GPU of the process, so who makes several queues makes all before starting one.
  bool start_at_once = true;
  /// How long a call waits that is given no deadline of its own.
  clock::duration timeout = std::chrono::minutes(10);
  /// Whether execution_of() is offered; costs two clock reads and three atomic adds per task.
  bool times = false;
  /// So many tasks per worker are recorded for task_spans(); 0 records none. 24 bytes each.
  std::uint32_t trace_depth = 0;
};

/// Not all of a batch was accepted before the deadline. What was accepted will run; the rest was not touched.
/// Of tasks with costs the first are those of start_order().
class queue_full : public timed_out {
 public:
  /// For the queue: of `offered` tasks the first `accepted` will run.
  queue_full(ticket accepted_batches, std::size_t accepted, std::size_t offered, std::string state);

  ticket accepted_batches() const noexcept { return accepted_batches_; }  ///< wait for it if accepted() > 0
  std::size_t accepted() const noexcept { return accepted_; }             ///< the first so many tasks

 private:
  ticket accepted_batches_;
  std::size_t accepted_;
};

/// The resident kernel ended before all accepted tasks had run; stop() hands them back.
class queue_stopped : public error {
 public:
  /// For the queue: what() names the device and says `why`.
  queue_stopped(std::string_view device, std::uint64_t unfinished, std::string_view why);

  /// Tasks that were accepted and have not run.
  std::uint64_t unfinished() const noexcept { return unfinished_; }

 private:
  std::uint64_t unfinished_;
};

/// When the tasks of a ticket ran, in ns on the host's clock.
struct execution {
  /// When the first of them began.
  std::int64_t first_begin_ns = 0, last_end_ns = 0;  ///< when the last of them ended
  std::int64_t work_ns = 0;                          ///< sum of the tasks' times
};

/// One traced task; on a GPU also the blocks of a grid task that a worker took together.
struct task_span {
  /// The resident block that ran it; block 0 of a GPU serves and runs none.
  std::uint32_t worker = 0;
  /// When it began and ended.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< on the host's clock
  /// The blocks of the kernel that ran.
  block_range range;
  std::uint32_t kernel = 0;  ///< its place in the kernel list
};

/// What a queue did since its last start().
struct queue_statistics {
  std::uint64_t submitted = 0;  ///< tasks accepted in this run
  std::uint64_t fetched = 0;  ///< of these, moved to the device; may lag by a few microseconds, as may taken
  std::uint64_t taken = 0;    ///< of these, claimed by workers
  /// How many submissions these were in.
  std::uint64_t batches = 0;
  std::uint64_t trace_dropped = 0;  ///< tasks that did not fit into trace_depth, known after close()
  /// If tasks create tasks: what the workers did with all of them, known once close() or stop() has returned
  /// (not after device_lost).
  std::optional<pool_statistics> pool;
};

/// Feeds tasks to a kernel that stays on one device, without a CUDA call per submission (Chen et al. 2010).
/// Submitting and waiting: any number of threads. start(), close(), stop(): one thread at a time.
class task_queue {
 public:
  /// Allocates everything, loads the list's kernels and starts the resident kernel. `kernels` must outlive
  /// the queue. Throws bad_argument (the option's name: "ring" if the device cannot address its ring's home),
  /// device_lost, timed_out, and ballast::error if the device has a resident kernel.
  task_queue(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
             queue_options options = {});
  /// Stops if still running: unexecuted tasks are dropped, so close() first. Waits at most stop_timeout.
  ~task_queue();
  task_queue(task_queue const&) = delete;
  task_queue& operator=(task_queue const&) = delete;

  /// Queues one task, or a batch in one go. Blocks while the queue is full, at most until the deadline. The
  /// tasks may run in any order and at the same time; memory they use must be ready now (copies completed).
  /// Throws bad_argument before anything is queued if any task does not suit the list; queue_full;
  /// queue_stopped and device_lost if the kernel ended; ballast::error if the queue is closed.
  ticket submit(task const& one);
  /// The same until a deadline of its own instead of queue_options::timeout.
  ticket submit(task const& one, deadline until);
  /// Queues a batch in one go, as above.
  ticket submit(std::span<task const> batch);
  /// The same until a deadline of its own.
  ticket submit(std::span<task const> batch, deadline until);
  /// Tasks `first` .. `first + count - 1` of a prepared batch of this queue's list; cheaper, nothing is
  /// checked again.
  ticket submit(prepared_tasks const& batch, std::size_t first, std::size_t count, deadline until);
  /// The same without waiting: nothing if the submission ring is full, or in use by another thread, at the
  /// moment.
  std::optional<ticket> try_submit(task const& one);

  /// Whether all tasks of the ticket have run, and all that they created; their results are visible to the
  /// host then, and to later tasks.
  bool finished(ticket const& which) const;
  /// Wait for a ticket, or for all that was submitted before the call. Throw timed_out with the queue's
  /// state, queue_stopped, device_lost. On a GPU the thread polls; on a host device it sleeps.
  void wait(ticket const& which);
  /// The same until a deadline of its own instead of queue_options::timeout.
  void wait(ticket const& which, deadline until);
  /// Waits for everything that was submitted before the call.
  void wait_all();
  /// The same until a deadline of its own.
  void wait_all(deadline until);

  /// Accepts no more tasks, runs what was accepted, ends the kernel (the paper's HALT). Idempotent. Throws
  /// like wait().
  void close();
  /// The same until a deadline of its own instead of queue_options::timeout.
  void close(deadline until);
  /// Ends the kernel after the tasks that run now and returns those that were accepted, or created on the
  /// device, and did not run. Those that name joins belong into a run of this queue before any close(), and
  /// into no other queue. After device_lost: those not known to have reached the device (some may have run;
  /// its memory is gone anyway). A second call returns nothing new.
  std::vector<task> stop();
  /// Asks for what stop() does, without waiting; waits in other threads then throw queue_stopped.
  /// Async-signal-safe.
  void request_stop() noexcept;
  /// Starts again after close() or stop(). Allocates nothing. Tickets of earlier runs are refused from then
  /// on.
  void start();
  /// Whether the resident kernel still works: false after close(), stop() and a fault. Does not wait.
  bool running();

  /// When the ticket's tasks ran. Requires options.times, a finished ticket of at least one task, and fewer
  /// than `capacity` batches (65536, if that is less) submitted on the same thread's submission ring since.
  /// Throws ballast::error otherwise.
  execution execution_of(ticket const& which) const;
  /// The traced tasks of the last run, by worker. Call after close() or stop().
  std::vector<task_span> task_spans() const;
  /// Counts of this run, read while it goes on. Does not wait.
  queue_statistics statistics() const;
  /// Tasks of this run that workers have claimed; on a GPU a few microseconds behind, and up to 7 of a worker
  /// not begun yet.
  std::uint64_t taken() const;
  /// The state that timed_out carries: submission rings, counts, what each block does.
  std::string describe();
  /// Bytes allocated for the queue, on the host and on the device together.
  std::size_t memory_bytes() const;
  /// Tasks that fit into a submission ring: options.capacity, rounded up to a power of two.
  std::uint32_t capacity() const;
  /// Blocks that execute tasks.
  std::uint32_t workers() const;
  /// The device that the queue feeds.
  compute_device& device() const;
  /// The list that its tasks come from.
  compiled_kernels const& kernels() const;

  /// For feeders, one per queue: sleep until `taken_threshold` tasks were taken, or until the ticket is
  /// finished (or another batch is), or somebody notified wake_event() since `epoch` was read; at most so
  /// long. On a GPU, where nothing can ring, they return after giving the core away once.
  void sleep_until_taken(std::uint64_t epoch, std::uint64_t taken_threshold, clock::duration timeout);
  /// Sleeps likewise until the ticket is finished, or another batch is.
  void sleep_until_complete(std::uint64_t epoch, ticket const& which, clock::duration timeout);
  /// What a feeder notifies when the host has news for one that sleeps.
  event_count& wake_event();

 private:
  void abandon_if_running() noexcept;

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast
