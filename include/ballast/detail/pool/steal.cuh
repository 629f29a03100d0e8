// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/pool/record_slot.cuh"

namespace ballast::detail {

/// The number of victims that a thief tries before it checks whether the run is over: first the victim of its
/// last successful steal, then random workers. A lone worker draws itself each time.
inline constexpr std::uint32_t max_victims = 8;

/// Leader only. Calls attempt(victim), which returns a steal_outcome, with several victims; returns whether
/// one steal succeeded.
template <class Attempt>
BALLAST_HD bool steal_from_any(pool_view const& view, pool_worker& me, Attempt const& attempt) {
  for (std::uint32_t i = 0; i < max_victims; ++i) {
    std::uint32_t const victim = i == 0 ? me.victim : me.draw() % view.workers;
    if (victim == me.number) continue;
    ++me.counts.steals_tried;
    if (attempt(victim) != steal_outcome::taken) continue;
    ++me.counts.steals_won;
    me.victim = victim;
    return true;
  }
  return false;
}

/// Steals as steal_from_any() does, for a worker group. On a GPU the lanes of its first warp look at 32
/// workers at once, the last victim and random ones. They attempt together to steal from the first that seems
/// to have tasks. Only the leader's outcome counts; the other threads get false.
template <class WorkerGroup, class HasTasks, class Attempt>
BALLAST_HD bool steal_by_warp([[maybe_unused]] WorkerGroup const& worker_group, pool_view const& view,
                              pool_worker& me, [[maybe_unused]] HasTasks const& has_tasks,
                              Attempt const& attempt) {
#if BALLAST_ON_GPU
  if (worker_group.rank() >= 32) return false;
  std::uint32_t const drawn = (me.random + worker_group.rank()) * 0x9e3779b9u;
  std::uint32_t const worker = worker_group.rank() == 0 ? me.victim : (drawn ^ drawn >> 15) % view.workers;
  bool const is_promising = worker != me.number && has_tasks(worker);
  std::uint32_t const promising = __ballot_sync(0xffffffff, is_promising);
  std::uint32_t const victim =
      __shfl_sync(0xffffffff, worker, promising == 0 ? 0 : __ffs(int(promising)) - 1);
  __syncwarp();  // all have read `me`
  auto const outcome = promising == 0 ? steal_outcome::empty : attempt(victim);
  if (!worker_group.leader()) return false;
  me.draw();
  ++me.counts.steals_tried;
  if (outcome != steal_outcome::taken) return false;
  ++me.counts.steals_won;
  me.victim = victim;
  return true;
#else
  return steal_from_any(view, me, attempt);
#endif
}

/// Steals as steal_by_warp() does, but the leader makes the attempt alone.
template <class WorkerGroup, class HasTasks, class Attempt>
BALLAST_HD bool steal_together(WorkerGroup const& worker_group, pool_view const& view, pool_worker& me,
                               HasTasks const& has_tasks, Attempt const& attempt) {
  auto const by_leader = [&](std::uint32_t victim) {
    return worker_group.leader() ? attempt(victim) : steal_outcome::empty;
  };
  return steal_by_warp(worker_group, view, me, has_tasks, by_leader);
}

}  // namespace ballast::detail
