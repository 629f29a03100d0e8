// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/stream.hpp"
#include "ballast/task.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast {

class balanced_queue;
class task_graph;

namespace detail {

struct graph_runner;
struct graph_state;

/// The memory of a task_queue's ring: of the slots from which blocks take tasks, and of the words that show
/// which slots are free (Chen et al. 2010, section 4.2, had to keep both on the device). On a host device it
/// is always the same memory. Cheap to copy.
class ring_home {
 public:
  /// The memory of the queue's own device, to which its blocks have the fastest access.
  static ring_home own_device() { return {}; }
  /// Pinned host memory. On a GPU each poll of a waiting block may be a read over the bus, where it contends
  /// with the server's reads of the submission rings: use few resident blocks.
  static ring_home host() {
    ring_home made;
    made.is_host_ = true;
    return made;
  }
  /// The memory of another device. The queue's device must be able to address it: the constructor of
  /// task_queue calls compute_device::enable_peer_access() and throws bad_argument ("ring") if that returns
  /// false. The queue keeps `whose` alive. Making and destroying the queue allocates and frees memory there,
  /// which may wait for a kernel that is resident on that device. Throws bad_argument ("ring") if `whose` is
  /// null.
  static ring_home peer(std::shared_ptr<compute_device> whose) {
    if (whose == nullptr) throw_bad_argument("ring", "a peer that is null", "a device");
    ring_home made;
    made.peer_ = std::move(whose);
    return made;
  }

  /// True if it is pinned host memory.
  bool is_host() const { return is_host_; }
  /// The device given to peer(); null for own_device() and host().
  std::shared_ptr<compute_device> const& peer_device() const { return peer_; }

 private:
  ring_home() = default;

  bool is_host_ = false;
  std::shared_ptr<compute_device> peer_;
};

/// The blocks that serve a task_queue in each of its runs in turn, 1 to 4; empty: start() decides.
using servers_of_runs = std::vector<std::uint32_t>;

}  // namespace detail

/// Options for queues with a kernel that creates tasks; other queues ignore them.
struct spawned_options {
  /// Capacity on the device for created tasks, in addition to the ring, for each worker: 8 to 2^20 tasks,
  /// rounded up to a power of two, about 48 bytes each. If created tasks do not fit, the queue stops.
  std::uint32_t capacity = 1024;
  /// Joins that can wait at the same time, 64 bytes each. 0: 2048 for each worker, or none if no kernel of
  /// the set makes joins.
  std::uint32_t joins = 0;
};

/// How large a queue is, where it lies, and what it records.
struct queue_options {
  /// Tasks that fit into a submission ring, and into the ring on the device: 2 .. 2^24, rounded up to a power
  /// of two. Memory grows with it: with 8 submission rings and 1024 tasks or more 800 to 1650 bytes per task
  /// of capacity, the fewer the larger it is, host and device together.
  std::uint32_t capacity = 8192;
  /// Submission rings, 1 to 31. A submitting thread takes a ring that the fewest threads use, until it ends
  /// or has fed eight other queues. Urgent tasks have one more.
  std::uint32_t submission_rings = 8;
  /// Pinned memory for kernel members over 40 bytes (listed_kernel::by_reference): at least what the set's
  /// largest kernel needs, at most 2^32. A task occupies it, in multiples of 64 bytes, from submission until
  /// its batch has completed. 0: 1 MiB. Sets without such kernels get none.
  std::size_t large_argument_bytes = 0;
  /// The share of the workers that take urgent tasks, more than 0 to 1, rounded up to a worker. The others
  /// run only other tasks, so that these go on however many urgent ones come.
  double urgent_share = 1;
  /// Multiprocessors of a GPU, or cores, that run urgent tasks alone, at most 32 and so few that others are
  /// left: urgent tasks then share no multiprocessor with others unless all of these are busy. A run that
  /// starts beside other resident kernels may keep fewer.
  int urgent_multiprocessors = 0;
  /// Where the ring lies: elsewhere than on the queue's device only for the library's own measurements.
  detail::ring_home ring = detail::ring_home::own_device();
  /// How many servers the runs have (queue_statistics::servers): given only for the library's own
  /// measurements. Changes nothing on CPU cores.
  detail::servers_of_runs servers = {};
  /// How many blocks stay on the device, and how long they may take to start and stop.
  resident_options resident = {};
  /// Capacity for created tasks; ignored if no kernel of the set creates any.
  spawned_options spawned = {};
  /// False: the queue starts closed, and start() opens it. CUDA may make an allocation wait for a kernel that
  /// runs on any GPU of the process, so a program with several queues makes all of them before it starts one.
  bool start_at_once = true;
  /// How long a call waits if no deadline is passed.
  clock::duration timeout = default_timeout;
  /// True if execution_of() is available. Costs two clock reads and three atomic additions per task.
  bool times = false;
  /// How many tasks per worker are recorded for task_spans(), 32 bytes each; 0 records none, or 1024 if
  /// trace_to is set.
  std::uint32_t trace_depth = 0;
  /// A recorder (`&recorder`), which must outlive the queue. When close() or stop() has ended the kernel it
  /// receives a span with the kernel's name for each task, with blocks and submission, up to trace_depth per
  /// worker; further spans count as dropped; and one for each round of a graph, with its critical path. If
  /// tasks create tasks it receives one span for the run instead, with the pool's counts. For each submission
  /// that waited for a full ring it immediately receives a span of the host thread.
  trace_target trace_to = {};
};

/// At most 32 completions, which a submission begins after: `{.after = last}`, `{.after = {a, b, c}}`.
class BALLAST_API completion_list {
 public:
  ///@{
  /// Copies the completions. Allocates nothing. Throws bad_argument ("after") for more than 32.
  completion_list() {}
  completion_list(completion const& one) { append({&one, 1}); }
  completion_list(std::initializer_list<completion> all) { append({all.begin(), all.size()}); }
  explicit completion_list(std::span<completion const> all) { append(all); }
  completion_list(completion_list const& other) { append(other.all()); }
  completion_list& operator=(completion_list const& other);
  ///@}
  ~completion_list() { std::destroy_n(first(), count_); }

  std::span<completion const> all() const { return {first(), count_}; }  ///< in the order given

 private:
  void append(std::span<completion const> more);
  completion* first() const { return reinterpret_cast<completion*>(const_cast<std::byte*>(places_)); }

  static constexpr std::size_t max_count = 32;
  // Bytes, since 32 empty completions would take longer to make than a task to submit.
  alignas(completion) std::byte places_[max_count * sizeof(completion)];
  std::size_t count_ = 0;
};

/// The work after which a submission begins, how long the call may wait, and what is given to devices first.
struct submit_options {
  /// Tasks of the same queue that must have run before any of these begins, or nothing. The host waits for
  /// none of them: a worker that takes one of the new tasks waits on the device, and runs no other task until
  /// then (as cudaStreamWaitEvent() holds up a stream). The writes of the awaited tasks are visible to the
  /// new ones. A completion of when_all() stands for those in it. task_queue::submit() lists the completions
  /// that are legal.
  completion_list after = {};
  /// The time until which the call waits while the ring is full. Empty: queue_options::timeout applies.
  std::optional<deadline> until = {};
  /// How many workers may run a graph, 1 or more; 0: all. The queue's other workers stay free for other
  /// tasks. Only for graphs.
  std::uint32_t max_workers = 0;
  /// Any number: a balanced_queue gives its devices the waiting batches of the highest priority first, and
  /// equal ones in order of submission. What a device was given before stays there. Only for batches of a
  /// balanced_queue.
  int priority = 0;
  /// True: a worker that is free runs these tasks before all that wait, in order of submission among urgent
  /// ones. It interrupts no task, nor a graph, nor on a GPU a grid task (docs/queue.md, "Urgent tasks"). A
  /// grid task counts as one task for each of its blocks. Not with `after`, nor for graphs or sets whose
  /// tasks may create tasks.
  bool urgent = false;
};

/// Not all of a batch was accepted before the deadline. The accepted tasks will run; the others were not
/// touched. If tasks have costs, the accepted ones are the first of start_order(), otherwise the first of the
/// batch.
class BALLAST_API queue_full : public timed_out {
 public:
  /// For the queue: the first `accepted` of `offered` tasks will run.
  queue_full(completion accepted_tasks, std::size_t accepted, std::size_t offered, std::string state);

  /// Ready once the accepted tasks have run.
  completion const& accepted_tasks() const noexcept { return accepted_tasks_; }
  std::size_t accepted() const noexcept { return accepted_; }  ///< how many tasks were accepted

 private:
  completion accepted_tasks_;
  std::size_t accepted_;
};

/// When the tasks of a completion ran: nanoseconds of the host's steady clock (ballast::clock).
struct execution {
  /// When the first of them began.
  std::int64_t first_begin_ns = 0, last_end_ns = 0;  ///< when the last of them ended
  std::int64_t work_ns = 0;                          ///< sum of the tasks' durations
};

/// One traced task. On a GPU, blocks of a grid task that a worker claimed together share one span.
struct task_span {
  /// The resident block that ran the task. On a GPU it is block.worker() + 1, since block 0 serves and runs
  /// no tasks.
  std::uint32_t worker = 0;
  /// When the task began, on the host's clock.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< when it ended
  /// The blocks of the kernel that ran.
  block_range range;
  std::uint32_t kernel = 0;  ///< index in kernel_set::kernels()
  /// The submission of a graph that the task belongs to, counted from 1 over all runs. 0: to none.
  std::uint32_t round = 0, task = 0;  ///< which of the graph's tasks, as they were added, from 0
  /// The submission that the task belongs to, counted from 1 in its ring, modulo 2^27. 0 in a round of a
  /// graph, or if that is unknown. In a balanced_queue it is what the device was given at once, and no batch
  /// of the program's.
  std::uint32_t submission = 0, ring = 0;  ///< the submission ring, from 0
};

/// Counts of a queue since its last start().
struct queue_statistics {
  /// Tasks accepted in this run. A graph counts as one for each worker that may run it. Batches of more than
  /// eight tasks after several completions may count an empty task and its batch besides.
  std::uint64_t submitted = 0;
  std::uint64_t fetched = 0;  ///< those of `submitted` on the device; may lag by a few microseconds
  std::uint64_t claimed = 0;  ///< those of `fetched` that workers claimed; may lag by a few microseconds
  /// How many batches, each a submission, these tasks were in.
  std::uint64_t batches = 0;
  /// Blocks that move tasks from the submission rings, which are divided among them, to the ring, in the
  /// present or last run; 0 on CPU cores, whose workers fetch tasks themselves. The first run has one. After
  /// a run in which several threads outran its servers there are up to 4, until a run's threads submit
  /// little. Each takes an SM. Fewer run where they do not fit or would cost over an eighth of the workers;
  /// one where resident.blocks is given, the set's blocks have 512 threads or more, or its kernels create
  /// tasks. Each of S servers opens 8 / S grid tasks at a time; tasks after further grid tasks wait. While no
  /// tasks come, only the first polls host memory, since several SMs that do slow down other kernels.
  std::uint32_t servers = 0;
  std::uint64_t trace_dropped = 0;  ///< tasks that did not fit into trace_depth, known after close()
  /// If tasks create tasks: the workers' counts over all tasks. Known once close() or stop() has returned,
  /// except after device_lost.
  std::optional<pool_statistics> pool;
};

using queue_progress = work_progress;  ///< of a queue

namespace detail {

/// A task that was created on a device and handed out to the host.
struct created_task {
  detail::task_record record;  ///< the task
  std::uint32_t ring = 0;      ///< completion_key::place of the task's batch
  std::uint64_t batch = 0;     ///< the number of that batch
};

/// The part of a task_queue that only feeders call.
class BALLAST_API fed_queue {
 public:
  ///@{
  /// For a queue's feeding thread, where tasks create tasks and some of them are to run elsewhere.
  /// ask_for_created(n) lets workers that hold several tasks hand out the oldest, until take_created() can
  /// return at least n, at most 1024. A task leaves only if its kernel declares how its members travel
  /// (listed_kernel::travel), it has no result_ref and at most 40 bytes of members, and the set makes no
  /// joins. A task that was handed out is no longer the queue's: its batch may complete before it has run,
  /// but not before take_created() can return it. A caller that asks must take: close() throws error if some
  /// were not taken, and stop() returns them.
  void ask_for_created(std::uint32_t tasks);
  std::vector<created_task> take_created();
  /// The number of workers without a task, for queues whose tasks create tasks; may lag by a few
  /// microseconds.
  std::uint32_t idle_workers() const;
  ///@}
  /// For a queue's feeding thread: sleeps until `taken_threshold` tasks were claimed, or until wake_event()
  /// was notified since `epoch` was read; at most for `timeout`. On a GPU, where nothing can notify, it
  /// yields the core once and returns.
  void sleep_until_taken(std::uint64_t epoch, std::uint64_t taken_threshold, clock::duration timeout);
  /// Sleeps in the same way, but until this completion, or any other, is ready.
  void sleep_until_complete(std::uint64_t epoch, completion const& which, clock::duration timeout);
  /// For a queue's feeding thread: task_queue::submit() of part of a batch without grid tasks, as urgent
  /// tasks.
  completion submit_urgent(prepared_tasks const& batch, std::size_t first, std::size_t count, deadline until);
  /// The event that the host notifies to wake a sleeping feeder.
  event_count& wake_event();

 protected:
  struct BALLAST_HIDDEN state;
  explicit fed_queue(std::unique_ptr<state> of);
  ~fed_queue();
  std::unique_ptr<state> state_;
};

}  // namespace detail

/// Feeds tasks to a kernel that stays on one device, without a CUDA call per submission (Chen et al. 2010).
/// Any number of threads may submit and wait concurrently; only one thread at a time may call start(),
/// close() or stop().
class BALLAST_API task_queue : public detail::fed_queue {
 public:
  /// Allocates all memory, loads the set's kernels and, unless options.start_at_once is false, does what
  /// start() does. `kernels` must outlive the queue. Throws bad_argument with the option's name ("ring" if
  /// the device cannot address the memory of options.ring), device_lost, timed_out, and ballast::error if a
  /// resident kernel runs on the device or on another part of its GPU.
  task_queue(std::shared_ptr<compute_device> device, kernel_set const& kernels, queue_options options = {});
  /// Stops the kernel if it still runs, and drops the tasks that did not run: call close() first to run them.
  /// Waits at most options.resident.stop_timeout.
  ~task_queue();
  task_queue(task_queue const&) = delete;
  task_queue& operator=(task_queue const&) = delete;

  /// Queues one task, or a batch under one completion. Waits while the submission ring is full, or the memory
  /// of options.large_argument_bytes if the tasks need any, at most until the deadline, or for
  /// options.timeout if none is passed. The tasks may run in any order and concurrently; the memory that they
  /// use must be ready when they are submitted (copies completed). Throws bad_argument, before anything is
  /// queued, if any task does not fit the set; queue_full at the deadline; stopped or device_lost if the
  /// kernel has ended, which one in 1024 submissions checks; ballast::error if the queue is closed.
  completion submit(task const& one);
  /// submit() that waits until `until` at most instead of queue_options::timeout.
  completion submit(task const& one, deadline until);
  /// Queues a batch in one go. Waits and throws as submit() of one task.
  completion submit(std::span<task const> batch);
  /// submit() that waits until `until` at most.
  completion submit(std::span<task const> batch, deadline until);
  /// Queues tasks `first` to `first + count - 1` of a prepared batch. Cheaper than a span of tasks, since
  /// they are not checked and converted again. Waits and throws as the other overloads; throws also
  /// bad_argument ("count") if the range does not lie within the batch, and ballast::error if the batch was
  /// prepared for another set.
  completion submit(prepared_tasks const& batch, std::size_t first, std::size_t count, deadline until);
  ///@{
  /// Queues a batch, a task or a whole prepared batch that begins on the device after `options.after` has run
  /// (docs/queue.md, "Batches that wait for others"). `after` has completions of this queue's present run,
  /// from any thread, and any others that are ready. The call waits while the ring is full, and until the
  /// device has fetched the tasks in `after` that lie in other submission rings than its first. It waits for
  /// ends while more than 32 of the batches in `after` (submissions of up to a quarter of capacity() each)
  /// have not ended, or while capacity() / 32 (at most 65536) unfinished batches of the ring wait for others
  /// than up to 16 successive ones of the 126 before them. Waits and throws as the other overloads; throws
  /// also bad_argument ("after"), before anything is queued, that says which completion is of another queue
  /// and not ready, or, where tasks may create tasks, which is not ready; and, if one is ready and did not
  /// end well, why it did not; and bad_argument ("max_workers", "priority") if that is not 0, and for urgent
  /// tasks ("after", "urgent") that may not be.
  completion submit(task const& one, submit_options const& options);
  completion submit(std::span<task const> batch, submit_options const& options);
  completion submit(prepared_tasks const& batch, submit_options const& options);
  ///@}
  /// Queues a graph, whose tasks all run once, and plans it first if this was not done: task_graph::plan().
  /// Begins on the device after the graph's last submission, where that was to this queue too; the call waits
  /// for the last submission to another queue, or if tasks were added or set since, or if another number of
  /// workers is to run the graph, which is then planned anew. That number is the smaller of
  /// `options.max_workers` and workers_of_run(); each runs tasks of the graph until none is left to claim.
  /// After a stop, or a failure, none, some or all of its tasks have run, stop() returns none of them, and
  /// the next submission runs all again. But after a stop it runs only those that the first unfinished
  /// submission has not run, perhaps none, if the kernels of all tasks declare `repeatable`, no task was
  /// added or set since, and device and memory are the same; the one after that waits for it.
  /// `options.until` holds for all waits of the call. Waits and throws as the other overloads, and as
  /// task_graph::plan(); queue_full has accepted nothing, and counts the workers instead of tasks. A graph
  /// without tasks begins nothing: its completion is ready, whatever `options.after` is.
  completion submit(task_graph& graph, submit_options const& options = {});
  /// Queues one task if it fits now; never waits. Returns nothing if the submission ring is full, or in use
  /// by another thread, at the moment, or no memory is free for the members of a large kernel. Throws as
  /// submit(), but never queue_full.
  std::optional<completion> try_submit(task const& one);

  /// Waits until everything that was submitted before the call has run, at most until the deadline, or for
  /// options.timeout if none is passed; so does wait() of a completion for its tasks and all that these
  /// created. On a GPU the thread polls and yields its core between polls; on a host device it sleeps. Throws
  /// timed_out with the queue's state, stopped, device_lost, and error in a continuation.
  void wait_all(std::optional<deadline> until = {});

  /// Accepts no more tasks, runs the accepted ones, and ends the kernel (the paper's HALT). Waits for that,
  /// at most until the deadline, or for options.timeout if none is passed. Idempotent. Throws as wait().
  void close(std::optional<deadline> until = {});
  /// Ends the kernel after the tasks that run now, waits for its end, and returns the tasks that were
  /// accepted or created but did not run, but none of a graph. Tasks that name joins may be submitted again
  /// only to this queue, before any close(). After device_lost it returns the tasks that are not known to
  /// have reached the device; some of these may have run, but the device's memory is lost anyway. A second
  /// call returns no task again.
  std::vector<task> stop();
  /// Requests what stop() does, without waiting; waits in other threads then throw stopped. Any thread
  /// may call; async-signal-safe.
  void request_stop() noexcept;
  /// Starts the kernel again after close() or stop(), or for the first time if options.start_at_once was
  /// false. Waits until its memory is cleared, and then until all its blocks run, each for at most
  /// options.resident.start_timeout. Allocates nothing on the device. Completions of earlier runs stay valid.
  /// Throws timed_out, and ballast::error, at once, if resident kernels that run on the device leave too few
  /// blocks (options.resident.blocks): the message names them and what each has.
  void start();
  /// True if the resident kernel runs. Does not wait.
  bool running();

  /// When the tasks of a completion ran. Requires options.times, and at least one task, all of which have
  /// run. Fewer than `capacity` batches (65536, if that is less) may have been submitted on the same thread's
  /// submission ring since. Throws ballast::error otherwise, and bad_argument ("completion") for one that
  /// this queue did not give in its present run.
  execution execution_of(completion const& which) const;
  /// The traced tasks of the last run, by worker; none if options.trace_depth is 0. Call it after close() or
  /// stop().
  std::vector<task_span> task_spans() const;
  /// The counts of this run. Any thread may call; does not wait.
  queue_statistics statistics() const;
  /// Counts how far the queue is, by reading a word for each batch that may be unfinished: at most 65536 for
  /// each submission ring. `busy` needs a word of each worker besides. On a GPU that is a copy, for which the
  /// call waits, 0.1 s at most; a copy that is late leaves `busy` as it was. Any thread may call at any time;
  /// while start() clears memory all counts are 0. Throws error in a child of fork().
  queue_progress progress() const;
  /// Tasks of this run that workers have claimed. On a GPU the count lags by a few microseconds, and includes
  /// up to 7 tasks of each worker that have not begun yet.
  std::uint64_t claimed() const;
  /// The state that timed_out carries, as text: submission rings, counts, up to four tasks of each graph that
  /// wait for others (each share of a grid task is a predecessor), what the blocks do, and up to eight
  /// running tasks, the oldest first.
  std::string describe();
  /// Bytes allocated for the queue, on the host and on the device together.
  std::size_t memory_bytes() const;
  /// Tasks that fit into a submission ring: options.capacity, rounded up to a power of two.
  std::uint32_t capacity() const;
  /// A batch of at most this many tasks, without a grid task, is accepted whole or not at all. It is the
  /// smaller of a quarter of capacity() and the number of the set's largest kernels whose members fit in a
  /// quarter of options.large_argument_bytes, but at least 1. Larger batches are accepted in parts.
  std::size_t max_whole_batch() const;
  /// The value of block.workers() in tasks: the blocks that execute tasks; on a GPU, where kernels have one
  /// thread, the threads of these blocks, 32 in each. With options.resident.blocks 0 a run that started
  /// beside other resident kernels, or with several servers, may have fewer.
  std::uint32_t workers() const;
  /// The workers that the present or last run has; workers() before the first.
  std::uint32_t workers_of_run() const;
  /// The device that the queue feeds.
  compute_device& device() const;
  /// The set that its tasks come from.
  kernel_set const& kernels() const;

 private:
  friend class balanced_queue;
  friend class task_graph;
  void plan(task_graph& graph);
  detail::graph_runner runner_of_graphs(std::uint32_t max_workers = 0);
  completion run_graph(detail::graph_state& graph, submit_options const& options);
  void abandon_if_running() noexcept;
};

}  // namespace ballast
