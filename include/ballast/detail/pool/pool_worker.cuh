// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// Why all workers of a pool leave while tasks are left.
enum class pool_halt : std::uint32_t {
  none,
  out_of_room,      ///< a worker has no space for the children of its next task
  stop_requested,   ///< the host asked for it
  too_many_spawns,  ///< a kernel created more children than it declares
  out_of_joins,     ///< the arena of joins is used up
  too_many_joins,   ///< a kernel made or ended more joins than a task may
  bad_range,        ///< a kernel created a task with no blocks or too many
  stalled,          ///< a wait for another worker in a shared structure outlasted its limit
  elsewhere         ///< the workers of another device of the pool leave early
};

/// The tasks that a worker has left in its stack: places begin to end - 1, modulo the stack's capacity.
struct stack_bounds {
  std::uint32_t begin, end;
  std::uint32_t joins;  ///< free records in the worker's cache; kept from launch to launch
};

/// A worker's report when it leaves.
struct worker_report {
  std::uint64_t run;  ///< tasks
  std::uint64_t steals_tried, steals_won;
  std::uint64_t idle_ns;
};

/// The counts of a worker.
struct worker_counts : worker_report {
  std::uint64_t created;  ///< tasks
  std::uint64_t joins;
  std::uint64_t shared;         ///< tasks that were published to other workers
  std::uint32_t max_stored;     ///< the most tasks in the stack and in the worker's deque or chunks
  std::uint32_t max_in_common;  ///< the most tasks that the worker saw in the shared structure
};

/// The combined values of kernels that declare `reduces`.
struct pool_reduction {
  std::uint64_t sum, max;

  /// Adds a part to the totals that all threads of the device share.
  BALLAST_HD void add_shared(pool_reduction const& part) {
    if (part.sum != 0) device_atomic<std::uint64_t>(sum).add_relaxed(part.sum);
    if (part.max != 0) device_atomic<std::uint64_t>(max).store_max(part.max);
  }
};

/// The joint report of all workers: sums, and the greatest `max_in_common` and `reduced.max`.
struct pool_totals {
  std::uint64_t created, joins, shared, max_stored, max_in_common;
  pool_reduction reduced;
};

/// The next step of a worker, which its leader chooses.
enum class worker_step : std::uint32_t { run, share, refill, leave };

/// The state of a worker, in shared memory on a GPU, where the worker's leader writes it. The worker's newest
/// tasks are in its stack, a ring in device memory that only this worker accesses while it works.
struct pool_worker {
  worker_counts counts;
  pool_reduction reduced;  ///< from the tasks that it ran
  std::uint64_t idle_since_ns;
  std::uint32_t number;      ///< of this worker
  std::uint32_t begin, end;  ///< of the stack
  std::uint32_t first;       ///< the place of the running tasks' first child
  std::uint32_t limit;       ///< one past the last place for children; further children are not created
  std::uint32_t delta;       ///< created less finished tasks that `pending` does not include yet; wraps
  worker_step step;
  std::uint32_t completed;      ///< running tasks that have no further blocks
  std::uint32_t stack_changed;  ///< the stack has changed since share() was last tried
  std::uint32_t out_of_room;    ///< tasks in the stack when the next task's children did not fit; 0: they fit
  std::uint32_t halt_checked, stop_checked;  ///< for worker_group.cycles_passed()
  std::uint32_t publish_burst;               ///< chunks that the worker is about to publish
  std::uint32_t idle_polls;
  std::uint32_t random;
  std::uint32_t victim;        ///< the worker of the last successful steal
  std::uint32_t joins;         ///< free records in the cache; wraps if a kernel makes more than it declares
  std::uint32_t joins_before;  ///< free records in the cache before the tasks ran
  std::uint32_t joins_ended;   ///< joins that the running tasks have ended
  pool_halt refused;           ///< why the running tasks end the run, if they do
  std::uint32_t stored_elsewhere;  ///< tasks that the worker has stored outside its stack, as last seen
  std::uint32_t found;             ///< a value that the leader passes to the other threads within a step
  std::uint32_t portion;           ///< a number of tasks, passed in the same way

  BALLAST_HD std::uint32_t held() const { return end - begin; }
  /// A number that differs from call to call and from worker to worker: xorshift (Marsaglia 2003).
  BALLAST_HD std::uint32_t draw() {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
  }
  BALLAST_HD void update_max_stored() {
    std::uint32_t const stored = held() + stored_elsewhere;
    if (stored > counts.max_stored) counts.max_stored = stored;
  }
  BALLAST_HD void update_max_in_common(std::uint32_t tasks) {
    if (tasks > counts.max_in_common) counts.max_in_common = tasks;
  }
};

/// The memory of a worker's stack.
class local_stack {
 public:
  /// `capacity` is a power of two.
  BALLAST_HD local_stack(stored_task* tasks, std::uint32_t capacity) : tasks_(tasks), mask_(capacity - 1) {}
  BALLAST_HD stored_task& operator[](std::uint32_t place) const { return tasks_[place & mask_]; }
  BALLAST_HD std::uint32_t capacity() const { return mask_ + 1; }

 private:
  array_ref<stored_task> tasks_;
  std::uint32_t mask_;
};

/// Adds to a word that only the threads of one worker share; returns the old value.
BALLAST_HD inline std::uint32_t add_in_worker(std::uint32_t& word, std::uint32_t value) {
#if BALLAST_ON_GPU
  return atomicAdd(&word, value);
#else
  std::uint32_t const old = word;
  word += value;
  return old;
#endif
}
BALLAST_HD inline void add_in_worker(std::uint64_t& word, std::uint64_t value) {
#if BALLAST_ON_GPU
  atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
#else
  word += value;
#endif
}
BALLAST_HD inline void raise_in_worker(std::uint64_t& word, std::uint64_t value) {
#if BALLAST_ON_GPU
  atomicMax(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
#else
  if (word < value) word = value;
#endif
}

/// Stores the children of running tasks on top of the stack. Joins is a view's joins_type.
template <class Joins>
class stack_sink {
 public:
  BALLAST_HD stack_sink(local_stack const& stack, pool_worker& me, Joins joins)
      : stack_(stack), me_(&me), joins_(joins) {}

  BALLAST_HD void add(stored_task const& task) const {
    std::uint32_t const place = add_in_worker(me_->end, 1);
    if (static_cast<std::int32_t>(me_->limit - place) > 0) stack_[place] = task;
  }

  /// Counts a task that was created on another device.
  BALLAST_HD void count_sent() const { add_in_worker(me_->counts.created, 1); }

  /// Ends the run for this reason after the tasks that run now.
  BALLAST_HD void refuse(pool_halt reason) const { me_->refused = reason; }

  BALLAST_HD void add_to_sum(std::uint64_t value) const { add_in_worker(me_->reduced.sum, value); }
  BALLAST_HD void raise_max(std::uint64_t value) const { raise_in_worker(me_->reduced.max, value); }

  BALLAST_HD std::remove_reference_t<Joins> const& joins() const { return joins_; }
  /// Takes a join from the cache; nothing is added to the cache meanwhile.
  BALLAST_HD join_handle new_join() const {
    std::uint32_t const place = add_in_worker(me_->joins, ~std::uint32_t(0)) - 1;
    if (static_cast<std::int32_t>(place) < 0) return {};
    return joins_.handle_of(joins_.here().cache_of(me_->number)[place]);
  }
  BALLAST_HD void end_join(join_handle join) const {
    if (joins_.sends_home(join)) return;
    std::uint32_t const place = add_in_worker(me_->joins_ended, 1);
    if (place < max_joins_taken)
      joins_.here().cache_of(me_->number)[joins_.here().cache_capacity + place] = joins_.record_of(join);
  }

 private:
  local_stack stack_;
  pool_worker* me_;
  Joins joins_;
};

/// Copies `count` tasks with all threads of the worker group; from(i) and to(i) return the source and the
/// destination of task i, 0 .. count - 1. Needs a sync before and after.
template <class WorkerGroup, class From, class To>
BALLAST_HD void copy_tasks([[maybe_unused]] WorkerGroup const& worker_group, std::uint32_t count,
                           From const& from, To const& to) {
#if BALLAST_ON_GPU
  for (std::uint32_t piece = worker_group.rank(); piece < 3 * count; piece += WorkerGroup::threads)
    reinterpret_cast<uint4*>(&to(piece / 3))[piece % 3] =
        reinterpret_cast<uint4 const*>(&from(piece / 3))[piece % 3];
#else
  for (std::uint32_t i = 0; i < count; ++i) to(i) = from(i);
#endif
}

}  // namespace ballast::detail
