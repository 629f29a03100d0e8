// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/pool_view.cuh"
#include "ballast/pool/ring_queue.cuh"

namespace ballast::inline pool {

/// Method `ring`: one bounded lock-free queue for all workers, to compare with (after B. Kerbl and others,
/// "The broker queue", ICS 2018; see ring_queue.cuh).
struct shared_ring_ref {
  ring_queue_ref<stored_task> ring;

  template <class Crew>
  BALLAST_HD bool shares(Crew const&, pool_view const&, pool_worker& me) const {
    return me.has_news != 0;
  }

  template <class Crew>
  BALLAST_HD void share(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (!crew.leader()) return;
    view.settle(me);
    me.note_stored();
    auto const hand = view.hand_of(me.number);
    push_outcome outcome = push_outcome::stored;
    while (me.held() != 0 &&
           (outcome = ring.push(hand[me.begin], worker_patience(crew))) == push_outcome::stored) {
      ++me.begin;
      ++me.counts.shared;
    }
    if (outcome == push_outcome::stalled) view.halt_for(pool_halt::stalled);
    me.note_in_common(ring.size());
    me.has_news = 0;
  }

  template <class Crew>
  BALLAST_HD void refill(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (!crew.leader()) return;
    auto const hand = view.hand_of(me.number);
    auto outcome = pop_outcome::taken;
    while (me.held() < view.tasks_at_once &&
           (outcome = ring.pop(hand[me.end], worker_patience(crew))) == pop_outcome::taken)
      ++me.end;
    if (outcome == pop_outcome::stalled) view.halt_for(pool_halt::stalled);
    if (me.held() == 0) view.take_waiting(me);
  }
};

}  // namespace ballast::inline pool
