// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/ring_queue.cuh"

namespace ballast::detail {

/// Method `ring`: one bounded lock-free queue for all workers, to compare with (after B. Kerbl and others,
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

}  // namespace ballast::detail
