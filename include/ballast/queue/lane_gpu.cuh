// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_finish.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint64_t gpu_awake_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint32_t chunks_in_flight = 4;   ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_per_poll = 8;     ///< one warp instruction: 32 lanes of 16 bytes

/// Sleeps longer the longer nothing came; not at all in the first 50 us.
__device__ inline void back_off(std::uint64_t idle_ns) {
  if (idle_ns > gpu_awake_ns) __nanosleep(idle_ns > 20 * gpu_awake_ns ? 1000 : 200);
}

/// No wait without an end: a worker leaves when the server, which looks around all the time and says so, has
/// not for idle_limit. Asked rarely, since only a long wait can end so.
__device__ inline bool lane_source_ref::server_vanished(std::uint64_t idle_ns, std::uint64_t now_ns) const {
  if (idle_ns <= control.idle_limit_ns) return false;
  auto const served_ns = atomic_ref<std::uint64_t, scope::device>(words->served_ns).load_relaxed();
  return now_ns > served_ns && now_ns - served_ns > control.idle_limit_ns;
}

/// The first warp claims a ticket and polls its slot: lanes 0-3 read a chunk each, so that one load
/// instruction brings readiness and payload. Polls are relaxed; one fence follows (an acquire per poll
/// empties the L1).
template <std::uint32_t Threads>
__device__ bool lane_source_ref::next(cuda_crew<Threads>& crew) {
  bool goes_on = false;
  if (crew.warp() == 0) {
    std::uint64_t ticket = 0;
    if (crew.lane() == 0) ticket = atomic_ref<std::uint64_t, scope::device>(words->head).add_relaxed(1);
    ticket = __shfl_sync(0xffffffff, ticket, 0);
    note_activity(crew, ticket, activity::waits);
    auto const lap = lap_of(ticket, shift);
    auto const& slot = ring_slot(ticket);
    stamped_chunk chunk{{}, 0};
    std::uint64_t const waits_since = crew.now_ns();
    std::uint64_t idle_ns = 0;
    bool here = false, leave = false;
    for (std::uint32_t looks = 0; !here && !leave; ++looks) {
      bool mine_is_here = true;
      std::uint32_t stop = 0;
      if (crew.lane() < 4) {
        chunk = load_chunk<scope::device>(slot.chunks[crew.lane()], lap);
        mine_is_here = is_here(chunk, lap);
      }
      if (crew.lane() == 4) stop = atomic_ref<std::uint32_t, scope::device>(words->stop).load_relaxed();
      if (looks % 64 == 63) idle_ns = crew.now_ns() - waits_since;
      leave = __any_sync(0xffffffff, stop != 0) || server_vanished(idle_ns, crew.now_ns());
      here = !leave && __all_sync(0xffffffff, mine_is_here);
      if (!here) back_off(idle_ns);
    }
    fence_after_relaxed<scope::device>();
    if (here && crew.lane() < 4) {
      for (int word = 0; word < 3; ++word) crew.record().data[3 * crew.lane() + word] = chunk.data[word];
      crew.meta()[crew.lane()] = chunk.stamp >> 16;
    }
    __syncwarp();
    if (here && crew.leader()) released_word(ticket).store_relaxed(std::uint32_t(ticket >> shift) + 1);
    goes_on = here && crew.record().kernel() != task_record::halt;
    note_activity(crew, ticket, goes_on ? activity::runs : activity::left);
  }
  return crew.told_by_leader(goes_on) != 0;
}

/// What block 0 does. Its threads hold the same state in shared memory; the leader alone changes it between
/// syncs.
template <std::uint32_t Threads>
struct lane_server {
  using crew_type = cuda_crew<Threads>;
  static constexpr std::uint32_t slots_ahead = Threads * chunks_in_flight / 4;

  lane_source_ref const& source;
  crew_type& crew;
  lane_serving_state& state;

  __device__ void clear() {
    for (std::uint32_t lane = crew.rank(); lane < most_lanes; lane += Threads)
      state.got[lane] = state.told[lane] = 0;
    if (crew.leader()) {
      state.tail = state.free_until = state.taken_told = 0;
      state.last_news_ns = crew.now_ns();
      state.turn = state.lanes = state.closed = state.halts = state.over = 0;
    }
    crew.sync();
  }

  __device__ std::uint64_t space() const { return state.free_until - state.tail; }

  /// Looks whether ring slots became free; needed only when little space is left.
  __device__ void find_space(std::uint64_t wanted) {
    if (space() >= wanted) return;
    std::uint64_t const ticket = state.free_until + crew.rank();
    std::uint32_t const found = crew.smallest(source.ring_slot_is_free(ticket) ? Threads : crew.rank());
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (crew.leader()) state.free_until += found;
    crew.sync();
  }

  /// One poll of up to one lane per warp: a single load instruction sees the next 8 slots of a lane. What is
  /// there moves to the ring; returns how much. A lane with 8 has more: it is read ahead by the whole block.
  __device__ std::uint64_t poll_lanes() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes);
    std::uint32_t const slot = crew.lane() / 4, part = crew.lane() % 4;
    stamped_chunk chunk{{}, 0};
    if (crew.warp() < lanes) {
      std::uint32_t const lane = (state.turn + crew.warp()) % state.lanes;
      std::uint64_t const ticket = state.got[lane] + slot;
      auto const lap = lap_of(ticket, source.shift);
      chunk = load_chunk<scope::system>(source.lane_slot(lane, ticket).chunks[part], lap);
      std::uint32_t here = __ballot_sync(0xffffffff, is_here(chunk, lap));
      here &= here >> 1;
      here &= here >> 2;
      std::uint32_t const missing = ~here & 0x11111111;
      if (crew.lane() == 0)
        state.ready[crew.warp()] = missing == 0 ? slots_per_poll : (__ffs(missing) - 1) / 4;
    }
    crew.sync();
    std::uint64_t before = 0, all = 0;
    for (std::uint32_t warp = 0; warp < lanes; ++warp) {
      if (warp < crew.warp()) before += state.ready[warp];
      all += state.ready[warp];
    }
    std::uint64_t const room = space();
    if (crew.warp() < lanes && slot < state.ready[crew.warp()] && before + slot < room)
      put(state.tail + before + slot, part, chunk);
    crew.sync();
    if (crew.leader()) count_polled(lanes, room);
    crew.sync();
    return min(all, room);
  }

  __device__ void put(std::uint64_t ticket, std::uint32_t part, stamped_chunk const& chunk) const {
    store_chunk<scope::device>(source.ring_slot(ticket).chunks[part],
                               restamped(chunk, lap_of(ticket, source.shift)));
  }

  /// Books what poll_lanes() moved, lane by lane, and leaves in `ready` which lanes were full.
  __device__ void count_polled(std::uint32_t lanes, std::uint64_t room) {
    for (std::uint32_t warp = 0; warp < lanes; ++warp) {
      std::uint32_t const moved = std::uint32_t(min(std::uint64_t(state.ready[warp]), room));
      state.got[(state.turn + warp) % state.lanes] += moved;
      state.tail += moved;
      room -= moved;
      state.ready[warp] = moved;
    }
  }

  /// The block reads the next slots of a lane, several 16-byte reads in flight per thread.
  __device__ std::uint32_t read_ahead(std::uint32_t lane) {
    std::uint64_t const first = state.got[lane], room = space();
    stamped_chunk held[chunks_in_flight];
    std::uint32_t whole = std::uint32_t(min(std::uint64_t(slots_ahead), room));
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const i = crew.rank() + k * Threads;
      held[k] = load_chunk<scope::system>(source.lane_slot(lane, first + i / 4).chunks[i % 4], 0);
    }
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (crew.rank() + k * Threads) / 4;
      if (!is_here(held[k], lap_of(first + slot, source.shift))) whole = min(whole, slot);
    }
    whole = crew.smallest(whole);
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const i = crew.rank() + k * Threads;
      if (i / 4 < whole) put(state.tail + i / 4, i % 4, held[k]);
    }
    crew.sync();
    if (crew.leader()) {
      state.got[lane] += whole;
      state.tail += whole;
    }
    crew.sync();
    return whole;
  }

  __device__ void read_ahead_full_lanes() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes), turn = state.turn;
    for (std::uint32_t warp = 0; warp < lanes; ++warp) {
      if (state.ready[warp] < slots_per_poll) continue;
      find_space(slots_ahead);
      read_ahead((turn + warp) % state.lanes);
    }
  }

  /// Tells the host which lane slots it may write again: after many, or when there is nothing better to do.
  /// The release makes our reads of the slots come first; it is the only system-scope fence of the server.
  __device__ void tell_fetched(bool idle) {
    for (std::uint32_t lane = crew.rank(); lane < state.lanes; lane += Threads) {
      std::uint64_t const untold = state.got[lane] - state.told[lane];
      if (untold == 0 || (!idle && untold < max(source.capacity() / 4, std::uint64_t(1)))) continue;
      atomic_ref<std::uint64_t, scope::system>(source.to_host->fetched[lane]).store_release(state.got[lane]);
      state.told[lane] = state.got[lane];
    }
  }

  /// The last thread reads what the host says while the others poll lanes, so that the latencies overlap.
  __device__ void hear_host() {
    if (crew.rank() != Threads - 1) return;
    auto const said = atomic_ref<std::uint64_t, scope::system>(source.from_host->control).load_relaxed();
    bool const stop = source.control.stop_asked();
    std::uint64_t const head = atomic_ref<std::uint64_t, scope::device>(source.words->head).load_relaxed();
    tell_taken(min(head, state.tail));
    auto const now = crew.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source.words->served_ns).store_relaxed(now);
    if (head != state.tail + crew.blocks() - 1) state.last_news_ns = now;
    bool const gives_up = now - state.last_news_ns > source.control.idle_limit_ns;
    if (gives_up) source.control.give_up();
    heard_lanes = std::uint32_t(said);
    heard_closed = (said & closed_bit) != 0;
    heard_stop = stop || gives_up;
  }

  __device__ void tell_taken(std::uint64_t taken) {
    if (taken == state.taken_told) return;
    atomic_ref<std::uint64_t, scope::system>(source.to_host->taken).store_relaxed(taken);
    state.taken_told = taken;
  }

  __device__ void adopt_heard() {
    if (crew.rank() != Threads - 1) return;
    state.lanes = heard_lanes;
    state.closed = heard_closed;
    state.over = heard_stop;
    if (heard_stop) atomic_ref<std::uint32_t, scope::device>(source.words->stop).store_relaxed(1);
  }

  __device__ bool all_fetched() {
    fence_after_relaxed<scope::system>();  // the totals were written before the host said closed
    std::uint32_t const lane = crew.rank();
    bool const done =
        lane >= state.lanes ||
        atomic_ref<std::uint64_t, scope::system>(source.from_host->submitted[lane]).load_relaxed() ==
            state.got[lane];
    return crew.smallest(done) != 0;
  }

  /// Chen et al. 2010: one HALT per worker, behind all tasks.
  __device__ void push_halts() {
    std::uint32_t const workers = crew.blocks() - 1;
    task_record halt{};
    halt.describe({0, 1}, task_record::halt);
    while (state.halts < workers && state.over == 0) {
      find_space(1);
      std::uint32_t const n = std::uint32_t(min(space(), std::uint64_t(min(Threads, workers - state.halts))));
      if (crew.rank() < n) {
        std::uint64_t const ticket = state.tail + crew.rank();
        for (int part = 0; part < 4; ++part)
          put(ticket, std::uint32_t(part), make_chunk(halt, batch_mark{}, part, 0));
      }
      crew.sync();
      if (crew.leader()) {
        state.halts += n;
        state.tail += n;
      }
      crew.sync();
      hear_host();
      crew.sync();
      adopt_heard();
      crew.sync();
    }
  }

  /// One turn of the server's loop; true if a task moved.
  __device__ bool round() {
    find_space(crew_type::warps * slots_per_poll);
    hear_host();
    bool const moved = state.lanes != 0 && poll_lanes() != 0;
    if (moved) read_ahead_full_lanes();
    crew.sync();
    tell_fetched(!moved);
    if (crew.leader() && state.lanes > crew_type::warps)
      state.turn = (state.turn + crew_type::warps) % state.lanes;
    crew.sync();
    adopt_heard();
    crew.sync();
    return moved;
  }

  __device__ void run() {
    clear();
    std::uint64_t idle_since = crew.now_ns();
    for (;;) {
      bool const moved = round();
      if (state.over != 0) break;
      if (!moved && state.closed != 0 && all_fetched()) break;
      std::uint64_t const now = crew.now_ns();
      if (moved) idle_since = now;
      back_off(now > idle_since ? now - idle_since : 0);
    }
    if (state.over == 0) push_halts();
    crew.sync();
    tell_fetched(true);
    hear_host();  // for the last count of taken tasks
  }

  std::uint32_t heard_lanes = 0;
  bool heard_closed = false, heard_stop = false;
};

template <std::uint32_t Threads>
__device__ void lane_source_ref::serve(cuda_crew<Threads>& crew, lane_serving_state& state) {
  lane_server<Threads>{*this, crew, state}.run();
}

}  // namespace ballast::inline queue

#endif
