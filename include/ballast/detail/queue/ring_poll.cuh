// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_source.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

inline constexpr std::uint64_t gpu_spin_for_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint32_t slots_per_poll = 8;        ///< one warp instruction: 32 lanes of 16 bytes

/// Sleeps longer the longer nothing came; not at all in the first 50 us.
__device__ inline void back_off(std::uint64_t idle_ns) {
  if (idle_ns > gpu_spin_for_ns) __nanosleep(idle_ns > 20 * gpu_spin_for_ns ? 1000 : 200);
}

/// How many of eight slots are whole, from the first on; `here` says of each lane whether its chunk is there.
__device__ inline std::uint32_t whole_slots(bool here) {
  std::uint32_t mask = __ballot_sync(0xffffffff, here);
  mask &= mask >> 1;
  mask &= mask >> 2;
  std::uint32_t const missing = ~mask & 0x11111111;
  return missing == 0 ? slots_per_poll : (__ffs(missing) - 1) / 4;
}

}  // namespace ballast::detail

#endif
