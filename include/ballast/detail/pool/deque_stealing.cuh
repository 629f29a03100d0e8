// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/deques.cuh"
#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/steal.cuh"

namespace ballast::detail {

/// Work stealing task by task, as in R. Mohan, N. P. Gopalan, "Dynamic load balancing using graphics
/// processors", IJISA 6(5), 2014, section 2.2: each worker has a deque in device memory, pushes every task
/// that it creates, takes the newest task from it, and steals the oldest task of another worker when its own
/// deque is empty.
template <class Deque, class Words>
struct deque_stealing {
  using deque = Deque;

  Words* words = nullptr;                 ///< of each worker
  typename Deque::slot* slots = nullptr;  ///< capacity for each worker
  std::uint32_t capacity = 0;             ///< a power of two

  template <class WorkerGroup>
  BALLAST_HD bool should_share(WorkerGroup const&, pool_view const&, pool_worker& me) const {
    return me.stack_changed != 0;
  }

  template <class WorkerGroup>
  BALLAST_HD void share(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    auto const mine = deque_of(me.number);
    typename Deque::places places{};  // the leader's
    if (worker_group.leader()) {
      places = mine.free_places(me.held());
      set_copy_range(me, places.first, places.count);
    }
    worker_group.sync();
    auto const stack = view.stack_of(me.number);
    std::uint32_t const place = me.found, begin = me.begin;
    each_word(worker_group, me.portion, [&](std::uint32_t i, std::uint32_t word) {
      mine.at(place + i).template write_word<device_atomic>(word, stack[begin + i]);
    });
    worker_group.sync();
    if (worker_group.leader()) publish(view, me, places);
  }

  template <class WorkerGroup>
  BALLAST_HD void refill(WorkerGroup& worker_group, pool_view const& view, pool_worker& me) const {
    if (worker_group.leader()) take_own(view, me);
    worker_group.sync();
    bool const must_steal = me.portion == 0 && me.held() == 0;
    auto const stack = view.stack_of(me.number);
    auto const mine = deque_of(me.number);
    std::uint32_t const newest = me.found, end = me.end;
    each_word(worker_group, me.portion, [&](std::uint32_t i, std::uint32_t word) {
      mine.at(newest - i).template read_word<device_atomic>(word, stack[end + i]);
    });
    worker_group.sync();
    if (worker_group.leader()) me.end += me.portion;
    if (must_steal) steal(worker_group, view, me);
  }

 private:
  /// Calls each(i, word) for every word of tasks 0 to tasks - 1. Eight lanes share a task: the paper advises
  /// that several threads read a task of more than a word side by side.
  template <class WorkerGroup, class Each>
  BALLAST_HD static void each_word(WorkerGroup const& worker_group, std::uint32_t tasks, Each const& each) {
    constexpr std::uint32_t lanes = WorkerGroup::threads == 1 ? 1 : 8;
    for (std::uint32_t i = worker_group.rank() / lanes; i < tasks; i += WorkerGroup::threads / lanes)
      for (std::uint32_t word = worker_group.rank() % lanes; word < Deque::slot::words; word += lanes)
        each(i, word);
  }

  /// Leader only. Sets the slots that the lanes copy: the first one and their number.
  BALLAST_HD static void set_copy_range(pool_worker& me, typename Deque::index place, std::uint32_t tasks) {
    me.found = static_cast<std::uint32_t>(place);
    me.portion = tasks;
  }

  /// Leader only. Adds the copied tasks to the deque.
  BALLAST_HD void publish(pool_view const& view, pool_worker& me,
                          typename Deque::places const& written) const {
    view.flush_counts(me);
    auto const mine = deque_of(me.number);
    mine.publish(written);
    me.begin += written.count;
    me.counts.shared += written.count;
    me.stack_changed = 0;
    me.stored_elsewhere = mine.size();
    me.update_max_stored();
  }

  /// Leader only. Takes the newest tasks of the worker's deque, which the lanes then copy, or else waiting
  /// tasks, which are then in the stack.
  BALLAST_HD void take_own(pool_view const& view, pool_worker& me) const {
    auto const mine = deque_of(me.number);
    typename Deque::index newest = 0, place = 0;
    std::uint32_t taken = 0;
    for (; taken < view.tasks_at_once && mine.take_newest(place); ++taken)
      if (taken == 0) newest = place;
    set_copy_range(me, newest, taken);
    if (taken == 0) view.take_waiting(me);
  }

  template <class WorkerGroup>
  BALLAST_HD void steal(WorkerGroup const& worker_group, pool_view const& view, pool_worker& me) const {
    auto const has_tasks = [&](std::uint32_t worker) { return deque_of(worker).size() != 0; };
    auto const attempt = [&](std::uint32_t victim) {
      return steal_from(worker_group, view, me, deque_of(victim));
    };
    if (steal_by_warp(worker_group, view, me, has_tasks, attempt)) ++me.end;
  }

  /// Called by the first warp. Tries to steal the oldest task of `victim`. A task that was read but not won
  /// stays past the end of the stack, where no thread looks.
  // It suffices in PTX's model that lanes read and the leader synchronises: bar.warp.sync orders memory among
  // its threads, and causality order continues through it. The lanes read no older task: the leader acquired
  // the owner's publication before the first barrier. They read no newer one if the claim is won: the claim
  // releases their reads, which the second barrier orders before it, and an owner that rewrites the slot has
  // acquired from the claimed word.
  template <class WorkerGroup>
  BALLAST_HD steal_outcome steal_from(WorkerGroup const& worker_group, pool_view const& view, pool_worker& me,
                                      Deque const& victim) const {
    std::uint64_t seen = 0;  // the leader's
    if (worker_group.leader()) {
      bool const has_task = victim.find_oldest(seen);
      set_copy_range(me, Deque::oldest(seen), has_task ? 1 : 0);
    }
    sync_warp();
    if (me.portion == 0) return steal_outcome::empty;
    auto const stack = view.stack_of(me.number);
    each_word(worker_group, 1, [&](std::uint32_t, std::uint32_t word) {
      victim.at(me.found).template read_word<device_atomic>(word, stack[me.end]);
    });
    sync_warp();
    return worker_group.leader() && victim.claim(seen) ? steal_outcome::taken : steal_outcome::lost_race;
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

}  // namespace ballast::detail
