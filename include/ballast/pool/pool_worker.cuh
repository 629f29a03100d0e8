// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device/array_ref.cuh"
#include "ballast/device/atomic_ref.cuh"
#include "ballast/pool/join.cuh"
#include "ballast/pool/stored_task.cuh"

namespace ballast::inline pool {

/// Why all workers of a pool leave, besides that nothing is left to do.
enum class pool_halt : std::uint32_t {
  none,
  crowded,   ///< a worker has no room for the children of its next task
  asked,     ///< the host asked for it
  overrun,   ///< a kernel created more children than it declares
  joinless,  ///< the arena of joins is used up
  stalled    ///< a wait for another worker in a shared structure outlasted its patience
};

/// Words that all workers of a pool share; all bits zero but for `pending` at the start of a run.
struct pool_words {
  /// Created tasks that have not finished, at least: a task is counted before another worker can see it.
  alignas(128) std::uint32_t pending;
  alignas(128) std::uint32_t halt;  ///< pool_halt
  /// Waiting tasks that were taken, the last first; for a moment more.
  alignas(128) std::uint32_t taken;
};

/// The tasks that a worker has left in its hand: places begin to end - 1, modulo the hand's capacity.
struct hand_bounds {
  std::uint32_t begin, end;
  std::uint32_t joins;  ///< free records in the worker's stock; kept from launch to launch
};

/// What a worker counted; written when it leaves.
struct worker_counts {
  std::uint64_t created;  ///< tasks
  std::uint64_t run;      ///< tasks
  std::uint64_t steals_tried, steals_won;
  std::uint64_t joins;
  std::uint64_t shared;  ///< tasks that were put where other workers can take them
  std::uint64_t idle_ns;
  std::uint32_t most_stored;     ///< the most tasks in the hand and in what the worker owns beside it
  std::uint32_t most_in_common;  ///< the most tasks that the worker saw in what all workers share
};

/// What a worker does next, as its leader decides.
enum class worker_step : std::uint32_t { run, share, refill, leave };

/// What a worker remembers: in shared memory on a GPU, where its leader writes it. Its newest tasks are in
/// its hand, a ring in device memory that only it touches while it works.
struct pool_worker {
  worker_counts counts;
  std::uint64_t idle_since_ns;
  std::uint32_t number;      ///< of this worker
  std::uint32_t begin, end;  ///< of the hand
  std::uint32_t first;       ///< children of what runs now take places from here on
  std::uint32_t limit;       ///< and below; beyond they are not created
  std::uint32_t delta;       ///< created less finished tasks that `pending` does not have yet; wraps
  worker_step step;
  std::uint32_t completed;  ///< tasks that run now and have no further blocks
  std::uint32_t has_news;   ///< the hand has changed since share() was last tried
  std::uint32_t crowded;    ///< tasks in the hand when there was no room for children; 0: there was
  std::uint32_t looks;      ///< decisions so far
  std::uint32_t idle_looks;
  std::uint32_t random;
  std::uint32_t victim;        ///< from whom the last steal was won
  std::uint32_t joins;         ///< free records in the stock; wraps if a kernel makes more than it declares
  std::uint32_t joins_before;  ///< the same before the tasks ran
  std::uint32_t joins_over;    ///< joins that the running tasks have ended
  std::uint32_t found;         ///< what the leader tells the others within a step
  std::uint32_t portion;       ///< the same

  BALLAST_HD std::uint32_t held() const { return end - begin; }
  /// A number that differs from call to call and from worker to worker: xorshift (Marsaglia 2003).
  BALLAST_HD std::uint32_t draw() {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
  }
  BALLAST_HD void note_stored(std::uint32_t beside_the_hand) {
    std::uint32_t const stored = held() + beside_the_hand;
    if (stored > counts.most_stored) counts.most_stored = stored;
  }
  BALLAST_HD void note_in_common(std::uint32_t tasks) {
    if (tasks > counts.most_in_common) counts.most_in_common = tasks;
  }
};

/// The places of a worker's hand.
class task_hand {
 public:
  /// `capacity` is a power of two.
  BALLAST_HD task_hand(stored_task* tasks, std::uint32_t capacity) : tasks_(tasks), mask_(capacity - 1) {}
  BALLAST_HD stored_task& operator[](std::uint32_t place) const { return tasks_[place & mask_]; }
  BALLAST_HD std::uint32_t capacity() const { return mask_ + 1; }

 private:
  array_ref<stored_task> tasks_;
  std::uint32_t mask_;
};

/// Adds to a word that only the threads of one worker share; returns what it was.
BALLAST_HD inline std::uint32_t add_in_worker(std::uint32_t& word, std::uint32_t value) {
#if BALLAST_ON_GPU
  return atomicAdd(&word, value);
#else
  std::uint32_t const old = word;
  word += value;
  return old;
#endif
}

/// Where the children of running tasks go: on top of the hand.
class hand_sink {
 public:
  BALLAST_HD hand_sink(task_hand const& hand, pool_worker& me, join_arena const& joins)
      : hand_(hand), me_(&me), joins_(joins) {}

  BALLAST_HD void add(stored_task const& task) const {
    std::uint32_t const place = add_in_worker(me_->end, 1);
    if (static_cast<std::int32_t>(me_->limit - place) > 0) hand_[place] = task;
  }

  BALLAST_HD join_arena const& joins() const { return joins_; }
  /// Of the stock, to which nothing is added meanwhile.
  BALLAST_HD join_handle new_join() const {
    std::uint32_t const place = add_in_worker(me_->joins, ~std::uint32_t(0)) - 1;
    if (static_cast<std::int32_t>(place) < 0) return {};
    return {joins_.stock_of(me_->number)[place] + 1};
  }
  BALLAST_HD void end_join(join_handle join) const {
    std::uint32_t const place = add_in_worker(me_->joins_over, 1);
    if (place < most_joins_taken)
      joins_.stock_of(me_->number)[joins_.stock_capacity + place] = join.number - 1;
  }

 private:
  task_hand hand_;
  pool_worker* me_;
  join_arena const& joins_;
};

/// What all parts of a worker loop see. Trivially copyable.
struct pool_view {
  pool_words* words = nullptr;
  hand_bounds* bounds = nullptr;    ///< of each worker
  worker_counts* counts = nullptr;  ///< of each worker
  stored_task* hands = nullptr;     ///< hand_capacity for each worker
  std::uint32_t hand_capacity = 0;  ///< a power of two
  std::uint32_t workers = 0;
  std::uint32_t tasks_at_once = 1;       ///< that a worker runs
  stored_task const* waiting = nullptr;  ///< roots, and what the host gives back
  std::uint32_t waiting_tasks = 0;
  std::uint32_t most_at_once = 1;  ///< of them that a worker takes
  join_arena joins;

  BALLAST_HD device_atomic<std::uint32_t> pending() const {
    return device_atomic<std::uint32_t>(words->pending);
  }
  BALLAST_HD device_atomic<std::uint32_t> halt() const { return device_atomic<std::uint32_t>(words->halt); }
  BALLAST_HD bool is_halted() const { return halt().load_relaxed() != 0; }
  /// The first reason counts.
  BALLAST_HD void halt_for(pool_halt reason) const { halt().replace_acq_rel(0, std::uint32_t(reason)); }
  BALLAST_HD task_hand hand_of(std::uint32_t worker) const {
    return {hands + std::size_t(worker) * hand_capacity, hand_capacity};
  }
  /// Leader, with an empty hand. Takes of the waiting tasks: many while there are many, and one in the end.
  BALLAST_HD bool take_waiting(pool_worker& me) const {
    device_atomic<std::uint32_t> const taken(words->taken);
    std::uint32_t const seen = taken.load_relaxed();
    if (seen >= waiting_tasks) return false;
    std::uint32_t const share = (waiting_tasks - seen) / (4 * workers);
    std::uint32_t const wished = share < 1 ? 1 : share < most_at_once ? share : most_at_once;
    std::uint32_t const first = taken.add_relaxed(wished);
    auto const hand = hand_of(me.number);
    for (std::uint32_t i = first; i < first + wished && i < waiting_tasks; ++i)
      hand[me.end++] = array_ref<stored_task const>(waiting)[waiting_tasks - 1 - i];
    me.has_news = 1;
    me.note_stored(0);
    return me.held() != 0;
  }
  /// Leader. Counts what was created and finished. Must precede the store that shows a task to others: who
  /// took an uncounted task and finished it would bring `pending` to zero while tasks are left. None would be
  /// lost, since a worker with tasks stays and the last to leave has counted all, but workers that found zero
  /// would have left the others alone.
  BALLAST_HD void settle(pool_worker& me) const {
    if (me.delta != 0) pending().add_relaxed(me.delta);
    me.delta = 0;
  }
};

/// Bounds a wait for another worker that is in the middle of an operation on a shared structure.
template <class Crew>
class worker_patience {
 public:
  BALLAST_HD explicit worker_patience(Crew const& crew) : crew_(crew) {}
  BALLAST_HD bool operator()() {
    crew_.pause(looks_);
    return ++looks_ < most_looks;
  }

 private:
  static constexpr std::uint32_t most_looks = 1u << 24;  // seconds

  Crew const& crew_;
  std::uint32_t looks_ = 0;
};

/// The crew copies `count` tasks; `from` and `to` give the task at 0 .. count - 1. Needs a sync before and
/// after.
template <class Crew, class From, class To>
BALLAST_HD void copy_tasks([[maybe_unused]] Crew const& crew, std::uint32_t count, From const& from,
                           To const& to) {
#if BALLAST_ON_GPU
  for (std::uint32_t piece = crew.rank(); piece < 3 * count; piece += Crew::threads)
    reinterpret_cast<uint4*>(&to(piece / 3))[piece % 3] =
        reinterpret_cast<uint4 const*>(&from(piece / 3))[piece % 3];
#else
  for (std::uint32_t i = 0; i < count; ++i) to(i) = from(i);
#endif
}

}  // namespace ballast::inline pool
