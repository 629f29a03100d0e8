// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "ballast/detail/base/source_run.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/task_queue.hpp"
#include "graph_trace.hpp"
#include "queue_memory.hpp"
#include "submission_ring.hpp"

namespace ballast::detail {

class placed_graph;

/// The reasons for which a host thread waits. It waits for argument memory until a batch that has some has
/// completed.
enum class wait_reason { room, completion, arguments };

/// While it lives, counts this thread among those that workers of the host backend notify.
class waiter_registration {
 public:
  waiter_registration(queue_memory& memory, wait_reason what)
      : waiters_(!memory.on_host             ? nullptr
                 : what == wait_reason::room ? &memory.words.data()->room_waiters
                                             : &memory.words.data()->completion_waiters) {
    if (waiters_ != nullptr) std::atomic_ref(*waiters_).fetch_add(1);
  }
  ~waiter_registration() {
    if (waiters_ != nullptr) std::atomic_ref(*waiters_).fetch_sub(1);
  }
  waiter_registration& operator=(waiter_registration&&) = delete;

 private:
  std::uint32_t* waiters_;
};

/// Batches that others wait for on the device.
struct awaited_work {
  completion_key batches;
  std::uint64_t slots;  ///< of their submission ring, up to the end of these batches or a later one
};

/// What a run shows of the servers that the next one needs.
struct served_run {
  struct ring {
    std::uint64_t slots = 0, stalls = 0;  ///< tasks and grid tasks submitted; submission_ring::stalls()
  };
  std::vector<ring> rings = {};
  std::uint64_t capacity = 2;  ///< slots of each ring
  double seconds = 0;          ///< from start to end
  /// Servers of the run, as kernels of their own; 0 also if there was no run.
  std::uint32_t servers = 0, most = 1;  ///< servers that the next run may have
};

/// The servers of the run after this one: 1 to `most`, one if `most` is 0.
std::uint32_t servers_after(served_run const& run);

/// The number of threads that use each submission ring of a queue. This object outlives the queue while a
/// thread uses one of its rings. Any thread may call.
class ring_users {
 public:
  explicit ring_users(std::uint32_t rings) : threads_(rings) {}

  /// Returns a ring that the fewest threads use, and counts the caller among these threads until leave().
  /// Takes turns among equally used rings, so that no ring's biased_lock is used by more threads than can
  /// have its bias while other rings' locks are unused.
  std::uint32_t join() {
    std::lock_guard const hold(mutex_);
    auto const rings = std::uint32_t(threads_.size());
    auto ring = next_;
    for (std::uint32_t i = 1; i < rings; ++i)
      if (auto const other = (next_ + i) % rings; threads_[other] < threads_[ring]) ring = other;
    ++threads_[ring];
    next_ = (ring + 1) % rings;
    return ring;
  }
  void leave(std::uint32_t ring) {
    std::lock_guard const hold(mutex_);
    --threads_[ring];
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint32_t> threads_;  ///< of each ring
  std::uint32_t next_ = 0;              ///< the first candidate among equally used rings
};

/// The inside of a task_queue. It is separate so that a queue whose kernel never ends can leak it. Submission
/// is defined in task_queue.cpp, next to the calls that users make; everything else in queue_state.cpp.
struct fed_queue::state final : completion_source {
  state(std::shared_ptr<compute_device> device, kernel_set const& kernels, queue_options const& options);
  ~state() override;

  std::unique_ptr<hybrid_memory> make_hybrid() const;
  void start();
  submission_ring& ring_of_this_thread();
  submission_ring& urgent_ring() { return submission_rings.back(); }
  submission_ring& assign_ring_to_this_thread();
  /// Submits a batch. If `until` is null, options.timeout counts from the moment at which the call must wait.
  /// `until` is a pointer, since an optional is passed through memory: it is stored as one byte and read as
  /// eight, which waits for the store to leave the core.
  completion submit(std::span<task_record const> batch, deadline const* until,
                    std::span<awaited_work const> after = {});
  completion submit_to(submission_ring& ring, std::span<task_record const> batch, deadline const* until,
                       std::span<awaited_work const> after = {});
  completion submit_urgent(std::span<task_record const> batch, submit_options const& options);
  completion submit_urgent(std::span<task_record const> blocks, deadline const* until);
  completion submit(std::span<task_record const> batch, submit_options const& options);
  /// The same for a round of a graph, which may follow one completion more than a list holds.
  completion submit_after(std::span<task_record const> batch, std::span<completion const> after,
                          std::optional<deadline> const& until);
  /// Adds the work of the completion, `number` in the user's list, unless it has ended. Throws bad_argument,
  /// and the error that kept it from success.
  void add_awaited(std::vector<awaited_work>& to, completion const& after, std::size_t number);
  /// True if the workers get all of this work before what `ring` gets next: in other rings it must be
  /// fetched.
  bool precedes(std::span<awaited_work const> after, submission_ring const& ring) const;
  /// submission_ring::name() of the batches that have not ended; nothing if they are too many.
  std::optional<batch_dependency> reach(std::span<awaited_work const> after, submission_ring& ring) const;
  /// Writes a batch of an empty task that waits for the list.
  awaited_work write_list_reader(submission_ring& ring, batch_dependency const& list);
  completion submit(task const& one, deadline const* until);
  completion submit_or_wait(task const& one, deadline const* until);
  std::optional<completion> try_submit(task const& one);
  /// Writes a task as a batch if there is space, and returns the batch's number. For the submission ring's
  /// holder.
  std::optional<std::uint64_t> try_write(submission_ring& ring, task const& one);
  /// The same for a task that refers to its members.
  std::optional<std::uint64_t> try_write_large(submission_ring& ring, task const& one);
  void prepare_submission(submission_ring& ring);
  void publish_ring(std::uint32_t ring);
  void write_control(bool closed);
  void ask_for_created(std::uint32_t tasks);
  std::vector<created_task> take_created();
  std::uint32_t idle_workers() const;

  // For completions, which name batches of one submission ring.
  bool has_ended(completion_key const& work) override;
  void wait(completion_key const& work, deadline until) override;
  clock::duration timeout(completion_key const& work) const override;
  bool needs_no_launch(completion_key const& work) override;
  bool notify_at_end(completion_key const& work, std::shared_ptr<end_listener> const& listener) override;
  std::uint64_t max_overtaken(completion_key const& work) override;

  /// True if all tasks of the batches have run.
  bool have_run(completion_key const& batches) const;
  /// Polls (GPU) or sleeps (host) until done() or an exception: the deadline, the kernel's end, a lost
  /// device.
  void await(std::function<bool()> const& done, wait_reason what, deadline until);
  /// await() for a submission, which also records its span; the caller holds the ring's lock.
  void await_in_submission(submission_ring& ring, std::function<bool()> const& done, wait_reason what,
                           deadline until);
  /// The same for argument memory, which rings get in the order in which they began to wait.
  void await_arguments(submission_ring& ring, std::function<bool()> const& done, deadline until);
  /// The most records that one batch puts into a ring: a quarter of it, to leave space for later batches.
  std::size_t max_ring_batch() const {
    return std::max<std::size_t>(1, (std::size_t(1) << memory.shift) / 4);
  }
  /// The number of records, from the first on, that are submitted as one batch.
  std::size_t records_of_next_batch(std::span<task_record const> records) const;
  /// The number of records that always fit into one batch, if none is a grid task.
  std::size_t max_whole_batch() const;
  /// True if the kernel runs; throws device_lost, which explains the fate of the tasks.
  bool alive();
  /// Records the loss for run `of_run`, unless another run has begun. Returns the exception to throw.
  std::exception_ptr note_loss(std::uint64_t of_run, device_lost const& known);
  std::exception_ptr known_loss();
  [[noreturn]] void throw_stopped();
  /// All batches that may not have run yet, by submission ring.
  std::vector<completion_key> everything() const;
  void wait_all(deadline until);
  /// Releases the completions of the last run.
  void end_run();
  void begin_run();
  std::unique_ptr<run_outcome const> outcome();

  void close(deadline until);
  class all_rings_lock;
  std::uint32_t servers_of_next_run() const;
  void launch();
  void prepare_memory();
  void check_urgent_multiprocessors() const;
  /// The most multiprocessors, or cores, that a run of `blocks` blocks can keep for urgent tasks: a worker
  /// must be left for the others.
  std::uint32_t most_urgent_multiprocessors(std::uint32_t blocks) const;
  void share_workers();
  bool start_kernel();
  void abort_start();
  void announce_close(deadline until);
  void mark_closed(deadline until);
  void count_submitted(deadline until);
  /// Logs, if tasks are unfinished, that the running ones end first. Called by a destructor that is about to
  /// stop the queue.
  void log_wait_at_end() const;
  /// Waits for the kernel's end until the deadline. Throws the loss of the device, but only once the run has
  /// ended.
  void join(deadline until);
  void end_joined();
  std::vector<task> stop();
  void hand_back(std::optional<task_record> const& record, std::vector<task>& into) const;
  void collect_from_ring(std::vector<task>& into);
  void collect_from_submission_rings(std::vector<task>& into);

  // Call it once the kernel has ended.
  std::vector<std::uint32_t> traced_by_worker() const;
  std::vector<task_span> task_spans() const;
  std::uint64_t trace_dropped() const;
  /// Passes the run's spans to the recorder, once.
  void record_run() noexcept;
  void record_tasks() const;

  std::uint32_t workers_of(std::uint32_t blocks) const;
  std::uint64_t submitted() const;
  std::uint64_t claimed() const;
  std::uint64_t unfinished() const;
  /// All 0 while a start clears what this reads.
  queue_progress progress();
  std::string describe();
  /// Names a running task for users, by its ticket.
  std::string name_of_task(std::uint64_t ticket);
  task_slot slot_of(std::uint64_t ticket);
  /// describe() names the graph's tasks that wait, from now on. On a GPU, where freeing memory may wait for
  /// the resident kernel, the graph is kept until the run ends.
  void note_graph(std::shared_ptr<placed_graph> const& graph);
  std::set<std::shared_ptr<placed_graph>> known_graphs();
  std::string describe_graphs();

  std::shared_ptr<compute_device> device;
  kernel_set const* kernels;
  queue_options options;
  resident_kernel kernel;
  queue_memory memory;
  std::unique_ptr<hybrid_memory> hybrid;       ///< if tasks may create tasks
  std::unique_ptr<argument_memory> arguments;  ///< if tasks may refer to their members
  std::unique_ptr<stream> copies, slot_copies;
  std::mutex slot_mutex;  ///< for slot_copies and the next
  pinned_buffer<task_slot> slot_copy;
  std::deque<submission_ring> submission_rings;
  std::uint64_t const uid;
  std::shared_ptr<ring_users> const users;
  std::atomic<std::uint32_t> rings_published = 0;  ///< those of threads
  std::atomic<bool> urgent_published = false;
  std::mutex graphs_mutex;  ///< for the next two
  std::set<std::weak_ptr<placed_graph>, std::owner_less<>> graphs;
  std::set<std::shared_ptr<placed_graph>> kept_graphs;  ///< on a GPU, in a run
  std::mutex control_mutex;                             ///< held to write host_words::control
  enum class phase : std::uint32_t { open, closing, ended };
  std::atomic<phase> now = phase::ended;
  std::atomic<bool> is_over = true;  ///< no task of this run will run any more
  std::atomic<bool> lost = false;
  std::exception_ptr loss;  ///< why the device is lost; guarded by control_mutex
  std::atomic<source_run*> run = nullptr;
  std::atomic<std::uint64_t> run_number = 0;
  std::shared_mutex counts_mutex;  ///< held by a start that clears what progress() reads
  std::mutex listening_mutex;      ///< for is_listened_to
  bool is_listened_to = false;     ///< ends are reported to the thread of continuations
  std::atomic<std::uint32_t> looks = 0;
  bool close_published = false;
  bool completed = true;    ///< whether the last run ended by close(), with all its tasks executed
  bool is_recorded = true;  ///< whether the recorder has the last run's spans
  traced_rounds rounds{memory.trace.size()};
  std::int64_t begun_ns = 0, ended_ns = 0;
  bool collected = true;  ///< whether the last run's unexecuted tasks were returned
};

}  // namespace ballast::detail
