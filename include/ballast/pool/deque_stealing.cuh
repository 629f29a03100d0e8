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
    auto const mine = deque_of(me.number);
    typename Deque::places places{};  // the leader's
    if (crew.leader()) {
      places = mine.free_places(me.held());
      tell(me, places.first, places.count);
    }
    crew.sync();
    auto const hand = view.hand_of(me.number);
    std::uint32_t const place = me.found, begin = me.begin;
    each_word(crew, me.portion, [&](std::uint32_t i, std::uint32_t word) {
      mine.at(place + i).template write_word<device_atomic>(word, hand[begin + i]);
    });
    crew.sync();
    if (crew.leader()) publish(view, me, places);
  }

  template <class Crew>
  BALLAST_HD void refill(Crew& crew, pool_view const& view, pool_worker& me) const {
    if (crew.leader()) take_own(view, me);
    crew.sync();
    bool const must_steal = me.portion == 0 && me.held() == 0;
    auto const hand = view.hand_of(me.number);
    auto const mine = deque_of(me.number);
    std::uint32_t const newest = me.found, end = me.end;
    each_word(crew, me.portion, [&](std::uint32_t i, std::uint32_t word) {
      mine.at(newest - i).template read_word<device_atomic>(word, hand[end + i]);
    });
    crew.sync();
    if (crew.leader()) me.end += me.portion;
    if (must_steal) steal(crew, view, me);
  }

 private:
  /// each(i, word) for every word of tasks 0 to tasks - 1: eight lanes a task, as the paper advises that
  /// several threads read, side by side, tasks of more than a word.
  template <class Crew, class Each>
  BALLAST_HD static void each_word(Crew const& crew, std::uint32_t tasks, Each const& each) {
    constexpr std::uint32_t lanes = Crew::threads == 1 ? 1 : 8;
    for (std::uint32_t i = crew.rank() / lanes; i < tasks; i += Crew::threads / lanes)
      for (std::uint32_t word = crew.rank() % lanes; word < Deque::slot::words; word += lanes) each(i, word);
  }

  /// Leader. Which slot the lanes copy first, and how many.
  BALLAST_HD static void tell(pool_worker& me, typename Deque::index place, std::uint32_t tasks) {
    me.found = static_cast<std::uint32_t>(place);
    me.portion = tasks;
  }

  /// Leader.
  BALLAST_HD void publish(pool_view const& view, pool_worker& me,
                          typename Deque::places const& written) const {
    view.settle(me);
    auto const mine = deque_of(me.number);
    mine.publish(written);
    me.begin += written.count;
    me.counts.shared += written.count;
    me.has_news = 0;
    me.shelved = mine.size();
    me.note_stored();
  }

  /// Leader. Own tasks, to be copied, or waiting ones, which are in the hand then.
  BALLAST_HD void take_own(pool_view const& view, pool_worker& me) const {
    auto const mine = deque_of(me.number);
    typename Deque::index newest = 0, place = 0;
    std::uint32_t taken = 0;
    for (; taken < view.tasks_at_once && mine.take_newest(place); ++taken)
      if (taken == 0) newest = place;
    tell(me, newest, taken);
    if (taken == 0) view.take_waiting(me);
  }

  template <class Crew>
  BALLAST_HD void steal(Crew const& crew, pool_view const& view, pool_worker& me) const {
    auto const has_tasks = [&](std::uint32_t worker) { return deque_of(worker).size() != 0; };
    auto const attempt = [&](std::uint32_t victim) { return steal_from(crew, view, me, deque_of(victim)); };
    if (steal_by_warp(crew, view, me, has_tasks, attempt)) ++me.end;
  }

  /// The first warp. What it reads without winning it stays behind the end of the hand, where nobody looks.
  // That lanes read and the leader synchronises is enough in PTX's model, as bar.warp.sync orders memory
  // among its threads, and causality order goes on through it. They read no older task: the leader acquired
  // the owner's publishing before the first barrier. They read none newer if the claim is won: it releases
  // their reads, which the second barrier puts before it, and an owner that writes the slot again has
  // acquired from the claimed word.
  template <class Crew>
  BALLAST_HD steal_outcome steal_from(Crew const& crew, pool_view const& view, pool_worker& me,
                                      Deque const& victim) const {
    std::uint64_t seen = 0;  // the leader's
    if (crew.leader()) {
      bool const has_task = victim.find_oldest(seen);
      tell(me, Deque::oldest(seen), has_task ? 1 : 0);
    }
    sync_warp();
    if (me.portion == 0) return steal_outcome::empty;
    auto const hand = view.hand_of(me.number);
    each_word(crew, 1, [&](std::uint32_t, std::uint32_t word) {
      victim.at(me.found).template read_word<device_atomic>(word, hand[me.end]);
    });
    sync_warp();
    return crew.leader() && victim.claim(seen) ? steal_outcome::taken : steal_outcome::lost_race;
  }

  BALLAST_HD static void sync_warp() {
#if BALLAST_ON_GPU
    __syncwarp();
#endif
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
