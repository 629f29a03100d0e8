// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/ring_queue.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// Method `ring`: one bounded lock-free queue for all workers, for comparison (after B. Kerbl and others,
/// "The broker queue", ICS 2018; see ring_queue.cuh).
struct shared_ring_ref {
  ring_queue_ref<stored_task> ring;

  template <class WorkerGroup>
  BALLAST_HD bool should_share(WorkerGroup const&, pool_view const&, pool_worker& me) const {
    return me.stack_changed != 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void share(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    if (!worker_group.leader()) return;
    view.flush_counts(me);
    me.update_max_stored();
    auto const stack = view.stack_of(me.number);
    push_outcome outcome = push_outcome::stored;
    while (me.held() != 0 &&
           (outcome = ring.push(stack[me.begin], bounded_wait(worker_group))) == push_outcome::stored) {
      ++me.begin;
      ++me.counts.shared;
    }
    if (outcome == push_outcome::stalled) view.halt_for(pool_halt::stalled);
    me.update_max_in_common(ring.size());
    me.stack_changed = 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void refill(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    if (!worker_group.leader()) return;
    auto const stack = view.stack_of(me.number);
    auto outcome = pop_outcome::taken;
    while (me.held() < view.tasks_at_once &&
           (outcome = ring.pop(stack[me.end], bounded_wait(worker_group))) == pop_outcome::taken)
      ++me.end;
    if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
    if (me.held() == 0) view.take_waiting(me);
  }
};

/// The words of the locked queue; all bits zero is an empty queue.
struct locked_queue_words {
  alignas(128) std::uint32_t lock;        ///< 1: held
  alignas(128) std::uint32_t begin, end;  ///< tasks lie at begin .. end - 1, modulo the capacity
};

/// Method `blocking`: one queue for all workers behind a lock taken by compare-and-swap, the "blocking based
/// dynamic queue" of Mohan and Gopalan 2014, section 2.1, after D. Cederman, P. Tsigas, "On dynamic load
/// balancing on graphics processors", Graphics Hardware 2008. Unlike theirs it is circular, and reports when
/// it is full.
struct locked_queue_ref {
  locked_queue_words* words = nullptr;
  stored_task* tasks = nullptr;
  std::uint32_t capacity = 0;  ///< a power of two

  template <class WorkerGroup>
  BALLAST_HD bool should_share(WorkerGroup const&, pool_view const&, pool_worker& me) const {
    return me.stack_changed != 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void share(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    if (!worker_group.leader()) return;
    view.flush_counts(me);
    me.update_max_stored();
    auto const stack = view.stack_of(me.number);
    while (me.held() != 0 && enqueue(worker_group, view, me, stack[me.begin])) {
      ++me.begin;
      ++me.counts.shared;
    }
    me.stack_changed = 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void refill(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    if (!worker_group.leader()) return;
    auto const stack = view.stack_of(me.number);
    while (me.held() < view.tasks_at_once && dequeue(worker_group, view, stack[me.end])) ++me.end;
    if (me.held() == 0) view.take_waiting(me);
  }

 private:
  BALLAST_HD device_atomic<std::uint32_t> lock() const { return device_atomic<std::uint32_t>(words->lock); }
  BALLAST_HD device_atomic<std::uint32_t> begin() const { return device_atomic<std::uint32_t>(words->begin); }
  BALLAST_HD device_atomic<std::uint32_t> end() const { return device_atomic<std::uint32_t>(words->end); }
  BALLAST_HD stored_task& at(std::uint32_t place) const {
    return array_ref<stored_task>(tasks)[place & (capacity - 1)];
  }

  template <class WorkerGroup>
  BALLAST_HD bool acquire(WorkerGroup& worker_group, pool_view const& view) const {
    bounded_wait keep_waiting(worker_group);
    while (!lock().compare_exchange_acq_rel(0, 1)) {
      if (keep_waiting()) continue;
      view.halt_for(pool_halt::stalled);
      return false;
    }
    return true;
  }

  template <class WorkerGroup>
  BALLAST_HD bool enqueue(WorkerGroup& worker_group, pool_view const& view, pool_worker& me,
                          stored_task const& task) const {
    if (!acquire(worker_group, view)) return false;
    std::uint32_t const last = end().load_relaxed();
    std::uint32_t const stored = last - begin().load_relaxed();
    bool const has_room = stored < capacity;
    if (has_room) {
      at(last) = task;
      end().store_relaxed(last + 1);
    }
    lock().store_release(0);
    me.update_max_in_common(has_room ? stored + 1 : stored);
    return has_room;
  }

  template <class WorkerGroup>
  BALLAST_HD bool dequeue(WorkerGroup& worker_group, pool_view const& view, stored_task& task) const {
    if (!acquire(worker_group, view)) return false;
    std::uint32_t const first = begin().load_relaxed();
    bool const has_task = first != end().load_relaxed();
    if (has_task) {
      task = at(first);
      begin().store_relaxed(first + 1);
    }
    lock().store_release(0);
    return has_task;
  }
};

}  // namespace ballast::detail
