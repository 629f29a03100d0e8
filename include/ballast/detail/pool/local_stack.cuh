// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/pool_worker.cuh"
#include "ballast/detail/pool/stored_task.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The places of a worker's stack.
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

/// Where the children of running tasks go: on top of the stack.
class stack_sink {
 public:
  BALLAST_HD stack_sink(local_stack const& stack, pool_worker& me, join_arena const& joins)
      : stack_(stack), me_(&me), joins_(joins) {}

  BALLAST_HD void add(stored_task const& task) const {
    std::uint32_t const place = add_in_worker(me_->end, 1);
    if (static_cast<std::int32_t>(me_->limit - place) > 0) stack_[place] = task;
  }

  /// The run ends for this reason when the tasks that run now are over.
  BALLAST_HD void refuse(pool_halt reason) const { me_->refused = reason; }

  BALLAST_HD join_arena const& joins() const { return joins_; }
  /// Of the cache, to which nothing is added meanwhile.
  BALLAST_HD join_handle new_join() const {
    std::uint32_t const place = add_in_worker(me_->joins, ~std::uint32_t(0)) - 1;
    if (static_cast<std::int32_t>(place) < 0) return {};
    return {joins_.cache_of(me_->number)[place] + 1};
  }
  BALLAST_HD void end_join(join_handle join) const {
    std::uint32_t const place = add_in_worker(me_->joins_ended, 1);
    if (place < max_joins_taken)
      joins_.cache_of(me_->number)[joins_.cache_capacity + place] = join.number - 1;
  }

 private:
  local_stack stack_;
  pool_worker* me_;
  join_arena const& joins_;
};

/// The worker_group copies `count` tasks; `from` and `to` give the task at 0 .. count - 1. Needs a sync
/// before and after.
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
