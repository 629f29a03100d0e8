// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/atomic_ref.cuh"

namespace ballast::detail {

/// 12 bytes of data and a stamp that shows whether they have arrived. One aligned 16-byte access moves both,
/// so a single PCIe read returns readiness and payload together.
struct alignas(16) stamped_chunk {
  std::uint32_t data[3];
  std::uint32_t stamp;
};
static_assert(sizeof(stamped_chunk) == 16);

/// Reads a chunk that another thread may be writing. The data are valid only if the stamp is the awaited one;
/// then they were stored with it. A GPU reads all 16 bytes at once (since 7.0); the host takes the stamp with
/// acquire and reads the data only if the low 16 bits of the stamp are `awaited`.
template <scope Scope>
BALLAST_HD stamped_chunk load_chunk(stamped_chunk const& from, [[maybe_unused]] std::uint32_t awaited) {
#if BALLAST_ON_GPU
  std::uint64_t low, high;
  if constexpr (Scope == scope::device) {
    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                 : "=l"(low), "=l"(high)
                 : "l"(&from)
                 : "memory");
  } else {
    asm volatile("{ .reg .b128 q; ld.relaxed.sys.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                 : "=l"(low), "=l"(high)
                 : "l"(&from)
                 : "memory");
  }
  return {{std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high)}, std::uint32_t(high >> 32)};
#else
  stamped_chunk chunk{{}, 0};
  chunk.stamp = atomic_ref<std::uint32_t, Scope>(const_cast<std::uint32_t&>(from.stamp)).load_acquire();
  if ((chunk.stamp & 0xffff) != awaited) return chunk;
  for (int word = 0; word < 3; ++word) chunk.data[word] = from.data[word];
  return chunk;
#endif
}

/// Writes data and stamp so that load_chunk() sees all of both or nothing. The chunk must be free: no thread
/// reads the old data any more. The host stores the data first and the stamp last, with release: enough for
/// host threads, and for a GPU whose 16-byte read over PCIe returns one state of the chunk. Always inlined:
/// g++ 13 called it four times per submitted task, which took 6 of 29 ns (decision 24).
template <scope Scope>
[[gnu::always_inline]] BALLAST_HD inline void store_chunk(stamped_chunk& to, stamped_chunk const& from) {
#if BALLAST_ON_GPU
  std::uint64_t const low = from.data[0] | std::uint64_t(from.data[1]) << 32;
  std::uint64_t const high = from.data[2] | std::uint64_t(from.stamp) << 32;
  if constexpr (Scope == scope::device) {
    asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(&to),
                 "l"(low), "l"(high)
                 : "memory");
  } else {
    asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.sys.global.b128 [%0], q; }" ::"l"(&to),
                 "l"(low), "l"(high)
                 : "memory");
  }
#else
  for (int word = 0; word < 3; ++word) to.data[word] = from.data[word];
  atomic_ref<std::uint32_t, Scope>(to.stamp).store_release(from.stamp);
#endif
}

#if defined(__CUDACC__)
// Slots of four chunks, which a warp reads together.

inline constexpr std::uint32_t slots_per_poll = 8;  ///< one warp instruction: 32 lanes of 16 bytes

/// Counts how many of eight slots are complete, up to the first incomplete one. On each lane `here` is true
/// if its chunk has arrived.
__device__ inline std::uint32_t whole_slots(bool here) {
  std::uint32_t mask = __ballot_sync(0xffffffff, here);
  mask &= mask >> 1;
  mask &= mask >> 2;
  std::uint32_t const missing = ~mask & 0x11111111;
  return missing == 0 ? slots_per_poll : (__ffs(missing) - 1) / 4;
}
#endif

}  // namespace ballast::detail
