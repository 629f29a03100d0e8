// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/abp_deque.cuh"
#include "ballast/pool/chase_lev_deque.cuh"
#include "ballast/pool/pool_view.cuh"
#include "ballast/pool/steal.cuh"

namespace ballast::inline pool {

/// Work stealing task by task, as in R. Mohan, N. P. Gopalan, "Dynamic load balancing using graphics
/// processors", IJISA 6(5), 2014, section 2.2: each worker has a deque in device memory, puts every task that
/// it creates there, takes its newest, and steals the oldest of others when it has none.
template <class Deque, class Words>
struct deque_stealing {
  using deque = Deque;

  Words* words = nullptr;                 ///< of each worker
  typename Deque::slot* slots = nullptr;  ///< capacity for each worker
  std::uint32_t capacity = 0;             ///< a power of two

  template <class Crew>
  BALLAST_HD bool shares(Crew const&, pool_view const&, pool_worker& me) const {
    return me.has_news != 0;
  }

  template <class Crew>
  BALLAST_HD void share(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (!crew.leader()) return;
    view.settle(me);
    auto const hand = view.hand_of(me.number);
    auto const mine = deque_of(me.number);
    std::uint32_t const added =
        mine.push_many(me.held(), [&](std::uint32_t i) -> stored_task const& { return hand[me.begin + i]; });
    me.begin += added;
    me.counts.shared += added;
    me.has_news = 0;
    me.shelved = mine.size();
    me.note_stored();
  }

  template <class Crew>
  BALLAST_HD void refill(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (crew.leader()) take_own(view, me);
    crew.sync();
    bool const must_steal = me.held() == 0;
    crew.sync();  // all have read it
    if (!must_steal) return;
    auto const hand = view.hand_of(me.number);
    auto const has_tasks = [&](std::uint32_t worker) { return deque_of(worker).size() != 0; };
    auto const attempt = [&](std::uint32_t victim) { return deque_of(victim).steal(hand[me.end]); };
    if (steal_together(crew, view, me, has_tasks, attempt)) ++me.end;
  }

 private:
  BALLAST_HD void take_own(pool_view const& view, pool_worker& me) const {
    auto const hand = view.hand_of(me.number);
    auto const mine = deque_of(me.number);
    while (me.held() < view.tasks_at_once && mine.pop(hand[me.end])) ++me.end;
    if (me.held() == 0) view.take_waiting(me);
  }

  BALLAST_HD Deque deque_of(std::uint32_t worker) const {
    return {words + worker, slots + std::size_t(worker) * capacity, capacity};
  }
};

/// Method `abp`: the deque of Arora, Blumofe and Plaxton 1998, as the paper has it.
using abp_ref = deque_stealing<abp_deque_ref<stored_task>, abp_deque_words>;
/// Method `chase-lev`: the deque of Chase and Lev 2005.
using chase_lev_ref = deque_stealing<chase_lev_deque_ref<stored_task>, chase_lev_deque_words>;

}  // namespace ballast::inline pool
