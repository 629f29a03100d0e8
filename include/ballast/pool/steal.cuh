// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/pool_worker.cuh"
#include "ballast/pool/record_slot.cuh"

namespace ballast::inline pool {

/// The victim rule: first from whom the last steal was won, then workers drawn at random, so many in all
/// before the thief looks whether the run is over.
inline constexpr std::uint32_t most_victims = 8;

/// Tries attempt(victim), a steal_outcome, with some victims; whether one was won. Leader.
template <class Attempt>
BALLAST_HD bool steal_from_any(pool_view const& view, pool_worker& me, Attempt const& attempt) {
  for (std::uint32_t i = 0; i < most_victims && view.workers > 1; ++i) {
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

}  // namespace ballast::inline pool
