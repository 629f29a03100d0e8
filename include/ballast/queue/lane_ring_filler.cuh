// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "ballast/queue/lane_poll.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint32_t chunks_in_flight = 4;  ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_checked = 4;     ///< ring slots that a thread looks at for space
inline constexpr std::uint32_t slots_checked_for_entries = 16;  ///< as all of them will be filled at once

/// What a GPU's server remembers, in shared memory. Each word has one writer between two syncs.
struct lane_server_memory {
  std::uint64_t tail;          ///< tickets filled so far
  std::uint64_t tail_seen;     ///< when tasks last came
  std::uint64_t free_until;    ///< tickets below have a free slot
  std::uint64_t gated;         ///< tail for which the gate was opened, if the source is gated
  std::uint64_t unlisted;      ///< blocks of spread tasks, less their entries
  std::uint64_t taken_told;    ///< device_words::taken as last written
  std::uint64_t filled_told;   ///< device_words::filled as last written
  std::uint64_t last_news_ns;  ///< when a task last came
  std::uint64_t got[most_lanes];
  std::uint32_t told[most_lanes];  ///< low half of device_words::fetched as last written
  std::uint8_t found[32];          ///< by this round's poll, of the lane of each warp
  std::uint8_t spread_found[32];   ///< whether a spread task follows them
  std::uint32_t moved;             ///< by this round's poll, not in the tail yet; the warps add to it
  std::uint32_t untold_rounds;     ///< since the host was told what was fetched
  std::uint32_t share;             ///< the one opened last
  std::uint32_t entries;           ///< of the share opened last that are not in the ring yet
  std::uint32_t entries_lane;      ///< and whose it is
  std::uint32_t entries_moved;     ///< of them, in the ring; kept if the source is gated
  std::uint32_t turn;              ///< the lane of the first warp
  std::uint32_t lanes;             ///< in use
  std::uint32_t closed;
  std::uint32_t ended;  ///< nothing more will come
  std::uint32_t over;
  /// The source: a fence empties the SM's L1 of everything but shared memory.
  alignas(16) unsigned char source_bytes[sizeof(lane_source_ref)];

  __device__ lane_source_ref const& source() const {
    return *reinterpret_cast<lane_source_ref const*>(source_bytes);
  }
};

// With the reductions' words and CUDA's own 1 KB a block: 16 blocks take 32 KB of an SM's L1, not 64.
static_assert(sizeof(lane_server_memory) + 128 <= 1024);

/// How the server moves tasks from lanes to the ring. Small enough to be an argument in registers, since what
/// is not inlined has registers of its own: reading ahead needs them all. Gated: what the source is, known
/// here, since whatever a server might do costs the kernels beside it registers (docs/decisions/0007).
template <std::uint32_t Threads, bool Gated>
struct lane_ring_filler {
  using crew_type = cuda_crew<Threads>;
  static constexpr std::uint32_t longest_window = std::bit_floor(Threads * chunks_in_flight / 4);  ///< slots

  crew_type crew;
  shared_ref<lane_server_memory> memory;

  __device__ lane_server_memory& state() const { return *memory; }
  __device__ lane_source_ref const& source() const { return state().source(); }
  __device__ std::uint64_t space() const { return state().free_until - state().tail; }

  /// Looks whether ring slots became free; needed only when little space is left. `Each`: at so many a
  /// thread.
  template <std::uint32_t Each = slots_checked>
  __device__ void find_space(std::uint64_t wanted) const {
    if (space() >= wanted) return;
    std::uint32_t found = Threads * Each;
#  pragma unroll
    for (std::uint32_t k = Each; k-- > 0;) {
      std::uint32_t const i = crew.rank() + k * Threads;
      if (!source().ring_slot_is_free(state().free_until + i)) found = i;
    }
    found = crew.smallest(found);
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (crew.leader()) state().free_until += found;
    crew.sync();
  }

  __device__ void put(std::uint64_t ticket, std::uint32_t part, stamped_chunk const& chunk) const {
    store_chunk<scope::device>(source().ring_slot(ticket).chunks[part],
                               restamped(chunk, lap_of(ticket, source().shift)));
  }

  /// For the leader, after slots were written: tells the workers how many tickets have their task.
  __device__ void publish() const {
    if constexpr (Gated) {
      if (state().gated != state().tail) open_gate();
    }
    server_news const news{std::uint32_t(state().tail), state().ended != 0, state().over != 0};
    for (std::uint32_t copy = 0; copy < news_copies; ++copy)
      source().news_for(copy).store_relaxed(news.word());
  }

  /// One poll of up to one lane per warp: a single load instruction sees the next 8 slots of a lane. What is
  /// there moves to the ring, up to the first spread task. For a warp that has a lane; true if it saw
  /// anything. book_polled() must follow.
  __device__ bool poll_lane(std::uint32_t lane, std::uint32_t lanes) const {
    std::uint32_t const slot = crew.lane() / 4, part = crew.lane() % 4;
    std::uint64_t const ticket = state().got[lane] + slot;
    auto const lap = lap_of(ticket, source().shift);
    auto const chunk = load_chunk<scope::system>(source().lane_slot(lane, ticket).chunks[part], lap);
    std::uint32_t const whole = whole_slots(is_here(chunk, lap));
    std::uint32_t const plain = whole_slots(is_here(chunk, lap) && !(part == 3 && is_spread(chunk)));
    std::uint32_t const some = min(plain, quota(lanes));
    std::uint32_t place = 0;
    if (crew.lane() == 0 && some != 0) place = atomicAdd(&state().moved, some);
    place = __shfl_sync(0xffffffff, place, 0);
    if (slot < some) put(state().tail + place + slot, part, chunk);
    if (crew.lane() == 0) {
      state().got[lane] += some;
      state().found[crew.warp()] = std::uint8_t(some);
      state().spread_found[crew.warp()] = plain < whole;
    }
    return whole != 0;
  }

  /// Puts what the polls moved into the tail.
  __device__ void book_polled() const {
    if (crew.leader()) {
      state().tail += state().moved;
      state().moved = 0;
      publish();
    }
    crew.sync();
  }

  /// The block reads the next slots of a lane up to a window's end, several 16-byte reads in flight per
  /// thread; true if all were there. A window starts at a multiple of its size: so it never wraps, has one
  /// lap, and needs one address. A function of its own: with the data in flight its registers just suffice,
  /// and what is spilled as it comes makes each read wait for the one before.
  __device__ BALLAST_APART static bool read_ahead(lane_ring_filler filler, std::uint32_t lane) {
    return filler.read_window(lane);
  }

 private:
  __device__ void open_gate() const {
    atomic_ref<std::uint32_t, scope::device>(source().words->ready)
        .add_relaxed(std::uint32_t(state().tail - state().gated));
    state().gated = state().tail;
  }

  /// Slots per lane of a poll, so that all fit into the space.
  __device__ std::uint32_t quota(std::uint32_t lanes) const {
    auto const room = space();
    if (room >= std::uint64_t(slots_per_poll) * lanes) return slots_per_poll;
    std::uint32_t const each = std::uint32_t(room) / lanes;
    return each == 0 && crew.warp() == 0 ? std::uint32_t(room) : each;
  }

  __device__ bool read_window(std::uint32_t lane) const {
    find_space(longest_window);
    std::uint32_t const window = min(std::uint64_t(longest_window), source().capacity());
    std::uint64_t const next = state().got[lane];
    std::uint32_t const first = std::uint32_t(next) & (window - 1);
    stamped_chunk const* const chunks = source().lane_slot(lane, next - first).chunks;
    stamped_chunk held[chunks_in_flight];
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k)
      held[k] = load_chunk<scope::system>(chunks[min(crew.rank() + k * Threads, 4 * window - 1)], 0);
    std::uint32_t const lap = lap_of(next, source().shift);
    std::uint32_t end = std::uint32_t(min(std::uint64_t(window), first + space()));
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (crew.rank() + k * Threads) / 4;
      bool const spread = crew.lane() % 4 == 3 && is_spread(held[k]);
      if (slot >= first && (spread || !is_here(held[k], lap))) end = min(end, slot);
    }
    end = crew.smallest(end);
    std::uint64_t const to = state().tail - first;
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (crew.rank() + k * Threads) / 4;
      if (slot >= first && slot < end) put(to + slot, crew.lane() % 4, held[k]);
    }
    crew.sync();
    if (crew.leader()) {
      state().got[lane] += end - first;
      state().tail += end - first;
      publish();
    }
    crew.sync();
    return end == window;
  }
};

}  // namespace ballast::inline queue

#endif
