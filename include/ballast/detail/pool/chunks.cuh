// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/chunk_stock.cuh"
#include "ballast/detail/pool/deques.cuh"
#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/steal.cuh"

namespace ballast::detail {

/// Method `chunks`: private stacks with published chunks. A worker keeps its tasks in its stack. It publishes
/// the oldest of them, in chunks, when it has many; or, if none of its chunks is published, as soon as it has
/// more than it keeps for itself. A thief takes a whole chunk. So tasks seldom cost an atomic operation on a
/// shared word, and the memory of chunks goes to the workers with tasks. Modelled on the shared stacks of UTS
/// (S. Olivier and others, "UTS: an unbalanced tree search benchmark", LCPC 2006) and on the split queues of
/// J. Dinan and others, "Scalable work stealing", SC 2009.
struct chunks_ref {
  using entry = chunk_entry;
  using public_deque = tagged_deque_ref<entry>;  ///< a worker's published chunks

  tagged_deque_words* public_deques = nullptr;  ///< of each worker
  public_deque::slot* slots = nullptr;          ///< public_deque_capacity for each worker
  chunk_stock stock;
  std::uint32_t public_deque_capacity = 0;  ///< a power of two

  template <class WorkerGroup>
  BALLAST_HD bool should_share(WorkerGroup const&, pool_view const& view, pool_worker& me) const {
    bool const has_spare = me.held() > tasks_to_keep(view);
    if (!has_spare) me.publish_burst = 0;
    if (!has_spare || me.publish_burst != 0) return has_spare;
    if (me.stack_changed == 0) return false;
    if (me.held() >= publish_threshold(view)) return true;
    if (public_deque_of(me.number).size() != 0) return false;
    me.publish_burst = max_publish_burst;
    return true;
  }

  template <class WorkerGroup, class View>
  BALLAST_HD void share(WorkerGroup& worker_group, View const& view, typename View::worker_type& me) const {
    if (worker_group.leader()) prepare_chunk(worker_group, view, me);
    worker_group.sync();
    std::uint32_t const chunk = me.found - 1;
    if (me.found == 0) return;
    auto const stack = view.stack_of(me.number);
    copy_tasks(
        worker_group, me.portion, [&](std::uint32_t i) -> stored_task const& { return stack[me.begin + i]; },
        [&](std::uint32_t i) -> stored_task& { return stock.task_of(chunk, i); });
    worker_group.sync();
    if (worker_group.leader()) publish(view, me, chunk | me.portion << 24);
  }

  template <class WorkerGroup, class View>
  BALLAST_HD void refill(WorkerGroup& worker_group, View const& view, typename View::worker_type& me) const {
    if (worker_group.leader()) take_own(view, me);
    worker_group.sync();
    bool const must_steal = me.found == 0 && me.held() == 0;
    if (must_steal && view.may_steal(me)) {
      worker_group.sync();  // all have read it
      steal(worker_group, view, me);
      worker_group.sync();
    }
    if (me.found == 0) return;
    std::uint32_t const chunk = me.found - 1;
    auto const stack = view.stack_of(me.number);
    copy_tasks(
        worker_group, me.portion,
        [&](std::uint32_t i) -> stored_task const& { return stock.task_of(chunk, i); },
        [&](std::uint32_t i) -> stored_task& { return stack[me.end + i]; });
    worker_group.sync();
    if (!worker_group.leader()) return;
    view.on_take(me, chunk);
    me.end += me.portion;
    me.stack_changed = 1;
    stock.recycle(worker_group, view, me, chunk);
  }

  /// Leader only. Moves the tasks of the worker's oldest published chunk to `to`, and returns the number of
  /// tasks.
  template <class WorkerGroup>
  BALLAST_HD std::uint32_t take_oldest(WorkerGroup const& worker_group, pool_view const& view,
                                       pool_worker& me, array_ref<stored_task> to) const {
    entry taken = 0;
    if (public_deque_of(me.number).steal(taken) != steal_outcome::taken) return 0;
    std::uint32_t const chunk = taken & 0xffffff, count = taken >> 24;
    for (std::uint32_t i = 0; i < count; ++i) to[i] = stock.task_of(chunk, i);
    stock.recycle(worker_group, view, me, chunk);
    return count;
  }

 private:
  // The number of chunks that a worker puts on its empty public_deque in a row. With one chunk at a time, as
  // long as workers are idle, as at a run's start, the number of busy workers would at most double in the
  // time of one task (docs/decisions/0010).
#if BALLAST_ON_GPU
  static constexpr std::uint32_t max_publish_burst = 8;
#else
  static constexpr std::uint32_t max_publish_burst = 1;
#endif

  /// The number of tasks that a worker with an empty public_deque keeps. A worker that runs several tasks at
  /// once keeps fewer than it could run: some of its threads then have no task, which costs less than idle
  /// workers.
  BALLAST_HD static std::uint32_t tasks_to_keep(pool_view const& view) {
    return view.tasks_at_once < 8 ? 1 : view.tasks_at_once / 4;
  }
  BALLAST_HD static std::uint32_t publish_threshold(pool_view const& view) {
    return view.stack_capacity / 4 * 3;
  }
  BALLAST_HD public_deque public_deque_of(std::uint32_t worker) const {
    return {public_deques + worker, slots + std::size_t(worker) * public_deque_capacity,
            public_deque_capacity};
  }

  /// Finds a chunk to fill (me.found: 1 + its number, or 0 if there is none) and decides how many tasks to
  /// put into it (me.portion).
  template <class WorkerGroup>
  BALLAST_HD void prepare_chunk(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    bool const has_many = me.out_of_room != 0 || me.held() >= publish_threshold(view);
    std::uint32_t const kept = tasks_to_keep(view) < me.held() ? tasks_to_keep(view) : me.held();
    std::uint32_t const offered = has_many ? me.held() : me.held() - kept;
    me.portion = offered < stock.chunk_tasks ? offered : stock.chunk_tasks;
    bool const fits = me.portion != 0 && public_deque_of(me.number).size() < public_deque_capacity;
    me.found = fits ? stock.find_free(worker_group, view, me) : 0;
    me.publish_burst = me.found == 0 || me.publish_burst == 0 ? 0 : me.publish_burst - 1;
    me.stack_changed = 0;
  }

  template <class View>
  BALLAST_HD void publish(View const& view, typename View::worker_type& me, entry published) const {
    view.flush_counts(me);
    view.on_publish(me, me.found - 1);
    auto const mine = public_deque_of(me.number);
    mine.push(published);
    view.wake_others();
    me.begin += me.portion;
    me.counts.shared += me.portion;
    me.stored_elsewhere = mine.size() * stock.chunk_tasks;
    me.update_max_stored();
  }

  /// Leader only. Takes the worker's newest published chunk (me.found, me.portion), or else waiting tasks,
  /// which are then in the stack.
  template <class View>
  BALLAST_HD void take_own(View const& view, typename View::worker_type& me) const {
    entry taken = 0;
    me.found = 0;
    if (public_deque_of(me.number).pop(taken))
      set_found_chunk(me, taken);
    else
      view.take_waiting(me);
  }

  template <class WorkerGroup>
  BALLAST_HD void steal(WorkerGroup const& worker_group, pool_view const& view, pool_worker& me) const {
    entry taken = 0;
    auto const has_tasks = [&](std::uint32_t worker) { return public_deque_of(worker).size() != 0; };
    auto const attempt = [&](std::uint32_t victim) { return public_deque_of(victim).steal(taken); };
    if (steal_together(worker_group, view, me, has_tasks, attempt)) set_found_chunk(me, taken);
  }

  BALLAST_HD static void set_found_chunk(pool_worker& me, entry taken) {
    me.found = (taken & 0xffffff) + 1;
    me.portion = taken >> 24;
  }
};

}  // namespace ballast::detail
