// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "ballast/detail/queue/ring_poll.cuh"

#if defined(__CUDACC__)

namespace ballast::detail {

inline constexpr std::uint32_t chunks_in_flight = 4;  ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_checked = 4;     ///< ring slots that a thread looks at for space
inline constexpr std::uint32_t slots_checked_for_grids = 16;  ///< as all of them will be filled at once

/// What a GPU's server remembers, in shared memory. Each word has one writer between two syncs.
struct ring_server_memory {
  std::uint64_t tail;               ///< tickets filled so far
  std::uint64_t tail_seen;          ///< when tasks last came
  std::uint64_t free_until;         ///< tickets below have a free slot
  std::uint64_t ready_tail;         ///< tail up to which words->ready counts, if workers claim when ready
  std::uint64_t unticketed_blocks;  ///< blocks of grid tasks, less their grid_tickets
  std::uint64_t taken_published;    ///< device_words::taken as last written
  std::uint64_t filled_published;   ///< device_words::filled as last written
  std::uint64_t last_task_ns;       ///< when a task last came
  std::uint64_t got[max_submission_rings];
  std::uint32_t
      fetched_published[max_submission_rings];  ///< low half of device_words::fetched as last written
  std::uint8_t found[32];                       ///< by this round's poll, of the submission ring of each warp
  std::uint8_t grid_found[32];                  ///< whether a grid task follows them
  std::uint32_t moved;                 ///< by this round's poll, not in the tail yet; the warps add to it
  std::uint32_t rounds_since_publish;  ///< since the host was told what was fetched
  std::uint32_t grid;                  ///< the one opened last
  std::uint32_t grid_tickets;          ///< of the grid opened last that are not in the ring yet
  std::uint32_t grid_ring;             ///< and whose it is
  std::uint32_t grid_tickets_moved;    ///< of them, in the ring; kept if the source claims when ready
  std::uint32_t first_ring;            ///< the submission ring of the first warp
  std::uint32_t ring_count;            ///< in use
  std::uint32_t closed;
  std::uint32_t ended;  ///< nothing more will come
  std::uint32_t stopping;
  /// The source: a fence empties the SM's L1 of everything but shared memory.
  alignas(16) unsigned char source_bytes[sizeof(ring_source_ref)];

  __device__ ring_source_ref const& source() const {
    return *reinterpret_cast<ring_source_ref const*>(source_bytes);
  }
};

// With the reductions' words and CUDA's own 1 KB a block: 16 blocks take 32 KB of an SM's L1, not 64.
static_assert(sizeof(ring_server_memory) + 128 <= 1024);

/// How the server moves tasks from submission rings to the ring. Small enough to be an argument in registers,
/// since what is not inlined has registers of its own: reading ahead needs them all. ClaimWhenReady: what the
/// source is, known here, since whatever a server might do costs the kernels beside it registers
/// (docs/decisions/0007).
template <std::uint32_t Threads, bool ClaimWhenReady>
struct ring_filler {
  using worker_group_type = cuda_worker<Threads>;
  static constexpr std::uint32_t max_window = std::bit_floor(Threads * chunks_in_flight / 4);  ///< slots

  worker_group_type worker_group;
  shared_ref<ring_server_memory> memory;

  __device__ ring_server_memory& state() const { return *memory; }
  __device__ ring_source_ref const& source() const { return state().source(); }
  __device__ std::uint64_t space() const { return state().free_until - state().tail; }

  /// Looks whether ring slots became free; needed only when little space is left. `Each`: at so many a
  /// thread.
  template <std::uint32_t Each = slots_checked>
  __device__ void find_space(std::uint64_t wanted) const {
    if (space() >= wanted) return;
    std::uint32_t found = Threads * Each;
#  pragma unroll
    for (std::uint32_t k = Each; k-- > 0;) {
      std::uint32_t const i = worker_group.rank() + k * Threads;
      if (!source().ring_slot_is_free(state().free_until + i)) found = i;
    }
    found = worker_group.reduce_min(found);
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (worker_group.leader()) state().free_until += found;
    worker_group.sync();
  }

  __device__ void put(std::uint64_t ticket, std::uint32_t part, stamped_chunk const& chunk) const {
    store_chunk<scope::device>(source().ring_slot(ticket).chunks[part],
                               restamped(chunk, lap_of(ticket, source().shift)));
  }

  /// For the leader, after slots were written: tells the workers how many tickets have their task.
  __device__ void publish() const {
    if constexpr (ClaimWhenReady) {
      if (state().ready_tail != state().tail) publish_ready_count();
    }
    server_status const status{std::uint32_t(state().tail), state().ended != 0, state().stopping != 0};
    for (std::uint32_t copy = 0; copy < status_replicas; ++copy)
      source().status_for(copy).store_relaxed(status.word());
  }

  /// One poll of up to one submission ring per warp: a single load instruction sees the next 8 slots of a
  /// submission ring. What is there moves to the ring, up to the first grid task. For a warp that has a
  /// submission ring; true if it saw anything. book_polled() must follow.
  __device__ bool poll_ring(std::uint32_t ring_index, std::uint32_t ring_count) const {
    std::uint32_t const slot = worker_group.lane() / 4, part = worker_group.lane() % 4;
    std::uint64_t const ticket = state().got[ring_index] + slot;
    auto const lap = lap_of(ticket, source().shift);
    auto const chunk =
        load_chunk<scope::system>(source().submission_slot(ring_index, ticket).chunks[part], lap);
    std::uint32_t const whole = whole_slots(is_here(chunk, lap));
    std::uint32_t const plain = whole_slots(is_here(chunk, lap) && !(part == 3 && is_grid(chunk)));
    std::uint32_t const some = min(plain, quota(ring_count));
    std::uint32_t place = 0;
    if (worker_group.lane() == 0 && some != 0) place = atomicAdd(&state().moved, some);
    place = __shfl_sync(0xffffffff, place, 0);
    if (slot < some) put(state().tail + place + slot, part, chunk);
    if (worker_group.lane() == 0) {
      state().got[ring_index] += some;
      state().found[worker_group.warp()] = std::uint8_t(some);
      state().grid_found[worker_group.warp()] = plain < whole;
    }
    return whole != 0;
  }

  /// Puts what the polls moved into the tail.
  __device__ void book_polled() const {
    if (worker_group.leader()) {
      state().tail += state().moved;
      state().moved = 0;
      publish();
    }
    worker_group.sync();
  }

  /// The block reads the next slots of a submission ring up to a window's end, several 16-byte reads in
  /// flight per thread; true if all were there. A window starts at a multiple of its size: so it never wraps,
  /// has one lap, and needs one address. A function of its own: with the data in flight its registers just
  /// suffice, and what is spilled as it comes makes each read wait for the one before.
  __device__ BALLAST_NOINLINE static bool read_ahead(ring_filler filler, std::uint32_t ring_index) {
    return filler.read_window(ring_index);
  }

 private:
  __device__ void publish_ready_count() const {
    atomic_ref<std::uint32_t, scope::device>(source().words->ready)
        .add_relaxed(std::uint32_t(state().tail - state().ready_tail));
    state().ready_tail = state().tail;
  }

  /// Slots per submission ring of a poll, so that all fit into the space.
  __device__ std::uint32_t quota(std::uint32_t ring_count) const {
    auto const room = space();
    if (room >= std::uint64_t(slots_per_poll) * ring_count) return slots_per_poll;
    std::uint32_t const each = std::uint32_t(room) / ring_count;
    return each == 0 && worker_group.warp() == 0 ? std::uint32_t(room) : each;
  }

  __device__ bool read_window(std::uint32_t ring_index) const {
    find_space(max_window);
    std::uint32_t const window = min(std::uint64_t(max_window), source().capacity());
    std::uint64_t const next = state().got[ring_index];
    std::uint32_t const first = std::uint32_t(next) & (window - 1);
    stamped_chunk const* const chunks = source().submission_slot(ring_index, next - first).chunks;
    stamped_chunk held[chunks_in_flight];
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k)
      held[k] = load_chunk<scope::system>(chunks[min(worker_group.rank() + k * Threads, 4 * window - 1)], 0);
    std::uint32_t const lap = lap_of(next, source().shift);
    std::uint32_t end = std::uint32_t(min(std::uint64_t(window), first + space()));
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (worker_group.rank() + k * Threads) / 4;
      bool const spread = worker_group.lane() % 4 == 3 && is_grid(held[k]);
      if (slot >= first && (spread || !is_here(held[k], lap))) end = min(end, slot);
    }
    end = worker_group.reduce_min(end);
    std::uint64_t const to = state().tail - first;
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (worker_group.rank() + k * Threads) / 4;
      if (slot >= first && slot < end) put(to + slot, worker_group.lane() % 4, held[k]);
    }
    worker_group.sync();
    if (worker_group.leader()) {
      state().got[ring_index] += end - first;
      state().tail += end - first;
      publish();
    }
    worker_group.sync();
    return end == window;
  }
};

}  // namespace ballast::detail

#endif
