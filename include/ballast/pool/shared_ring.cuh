// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/pool_worker.cuh"
#include "ballast/pool/ring_queue.cuh"

namespace ballast::inline pool {

/// Method `ring`: one bounded lock-free queue for all workers, to compare with (after B. Kerbl and others,
/// "The broker queue", ICS 2018; see ring_queue.cuh).
struct shared_ring_ref {
  ring_queue_ref<stored_task> ring;

  BALLAST_HD bool shares(pool_view const&, pool_worker& me) const { return me.has_news != 0; }

  template <class Crew>
  BALLAST_HD void share(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (!crew.leader()) return;
    view.settle(me);
    me.note_stored(0);
    auto const hand = view.hand_of(me.number);
    push_outcome outcome = push_outcome::stored;
    while (me.held() != 0 &&
           (outcome = ring.push(hand[me.begin], worker_patience(crew))) == push_outcome::stored) {
      ++me.begin;
      ++me.counts.shared;
    }
    if (outcome == push_outcome::stalled) view.halt_for(pool_halt::stalled);
    me.has_news = 0;
  }

  template <class Crew>
  BALLAST_HD void refill(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (!crew.leader()) return;
    stored_task task;
    auto const outcome = ring.pop(task, worker_patience(crew));
    if (outcome == pop_outcome::taken) view.hand_of(me.number)[me.end++] = task;
    if (outcome == pop_outcome::empty) view.take_waiting(me);
    if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
  }
};

}  // namespace ballast::inline pool
