// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_poll.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint32_t chunks_in_flight = 4;  ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_checked = 4;     ///< ring slots that a thread looks at for space
inline constexpr std::uint32_t reads_per_turn = 16;   ///< of a full lane, before others are looked at
inline constexpr std::uint32_t spreads_per_turn = 4;  ///< rings' worth of space, before others are looked at

/// What block 0 does. Its state is in shared memory, known to all threads; each word has one writer between
/// two syncs.
template <std::uint32_t Threads>
struct lane_server {
  using crew_type = cuda_crew<Threads>;
  static constexpr std::uint32_t slots_ahead = Threads * chunks_in_flight / 4;
  static constexpr std::uint32_t slots_per_lane = slots_per_poll * chunks_in_flight;

  lane_source_ref const& source;
  crew_type& crew;
  lane_serving_state& state;

  __device__ void clear() {
    for (std::uint32_t lane = crew.rank(); lane < most_lanes; lane += Threads)
      state.got[lane] = state.told[lane] = state.blocks[lane] = 0;
    if (crew.leader()) {
      state.tail = state.filled = state.filled_seen = state.free_until = state.taken_told =
          state.filled_told = 0;
      state.last_news_ns = crew.now_ns();
      state.turn = state.lanes = state.closed = state.ended = state.over = 0;
    }
    crew.sync();
  }

  /// Free ring slots that are known. `filled` equals `tail` but while several warps take tickets.
  __device__ std::uint64_t space() const { return state.free_until - state.filled; }

  /// Looks whether ring slots became free; needed only when little space is left.
  __device__ void find_space(std::uint64_t wanted) {
    if (space() >= wanted) return;
    std::uint32_t found = Threads * slots_checked;
#  pragma unroll
    for (std::uint32_t k = slots_checked; k-- > 0;) {
      std::uint32_t const i = crew.rank() + k * Threads;
      if (!source.ring_slot_is_free(state.free_until + i)) found = i;
    }
    found = crew.smallest(found);
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (crew.leader()) state.free_until += found;
    crew.sync();
  }

  /// Tells the workers how many tickets have their task, after the slots were written.
  __device__ void publish() {
    state.filled = state.tail;
    server_news const news{std::uint32_t(state.filled), state.ended != 0, state.over != 0};
    atomic_ref<std::uint64_t, scope::device>(source.words->news).store_relaxed(news.word());
  }

  /// One poll of up to one lane per warp, each of the next slots_per_lane of its lane, up to the first spread
  /// task. What is there moves to the ring; true if anything. A lane that was full has more: it is read ahead
  /// by the whole block.
  __device__ bool poll_lanes() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes);
    if (crew.warp() < lanes) scout((state.turn + crew.warp()) % state.lanes);
    crew.sync();
    std::uint32_t all = 0;
    for (std::uint32_t warp = 0; warp < lanes; ++warp) all += state.ready[warp];
    if (all == 0) return false;
    if (crew.leader()) {
      for (std::uint32_t warp = 0; warp < lanes; ++warp)
        state.got[(state.turn + warp) % state.lanes] += state.ready[warp];
      publish();
    }
    crew.sync();
    return true;
  }

  __device__ std::uint32_t slot() const { return crew.lane() / 4; }
  __device__ std::uint32_t part() const { return crew.lane() % 4; }

  /// One warp reads the next slots of a lane, all at once, and moves what is there.
  __device__ void scout(std::uint32_t lane) {
    stamped_chunk held[chunks_in_flight];
    std::uint64_t const next = state.got[lane] + slot();
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k)
      held[k] =
          load_chunk<scope::system>(source.lane_slot(lane, next + k * slots_per_poll).chunks[part()], 0);
    std::uint32_t whole = 0, spread = slots_per_lane;
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      bool const here = is_here(held[k], lap_of(next + k * slots_per_poll, source.shift));
      std::uint32_t const some = whole_slots(here);
      if (whole == k * slots_per_poll) whole += some;
      std::uint32_t const which = __ballot_sync(0xffffffff, here && part() == 3 && is_spread(held[k]));
      if (which != 0) spread = min(spread, k * slots_per_poll + (__ffs(which) - 1) / 4);
    }
    std::uint64_t first = 0;
    std::uint32_t const moved = take_tickets(min(whole, spread), first);
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k)
      if (k * slots_per_poll + slot() < moved) put(first + k * slots_per_poll + slot(), part(), held[k]);
    if (crew.lane() != 0) return;
    state.ready[crew.warp()] = moved;
    state.spreads[crew.warp()] = spread < whole && moved == spread;
  }

  /// For a warp while others do the same: up to `wanted` tickets whose slots are free, from `first` on.
  __device__ std::uint32_t take_tickets(std::uint32_t wanted, std::uint64_t& first) {
    std::uint32_t taken = 0;
    if (wanted != 0 && crew.lane() == 0) {
      auto* const tail = reinterpret_cast<unsigned long long*>(&state.tail);
      unsigned long long seen = atomicAdd_block(tail, 0);
      do {
        first = seen;
        taken = std::uint32_t(min(std::uint64_t(wanted), state.free_until - first));
        seen = atomicCAS_block(tail, first, first + taken);
      } while (seen != first);
    }
    first = __shfl_sync(0xffffffff, first, 0);
    return __shfl_sync(0xffffffff, taken, 0);
  }

  __device__ void put(std::uint64_t ticket, std::uint32_t part, stamped_chunk const& chunk) const {
    store_chunk<scope::device>(source.ring_slot(ticket).chunks[part],
                               restamped(chunk, lap_of(ticket, source.shift)));
  }

  /// The block reads the next slots of a lane, several 16-byte reads in flight per thread; true if all were
  /// there.
  __device__ bool read_ahead(std::uint32_t lane) {
    std::uint64_t const first = state.got[lane];
    stamped_chunk held[chunks_in_flight];
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const i = crew.rank() + k * Threads;
      held[k] = load_chunk<scope::system>(source.lane_slot(lane, first + i / 4).chunks[i % 4], 0);
    }
    find_space(slots_ahead);
    std::uint32_t whole = std::uint32_t(min(std::uint64_t(slots_ahead), space()));
#  pragma unroll
    for (std::uint32_t k = 0; k < chunks_in_flight; ++k) {
      std::uint32_t const slot = (crew.rank() + k * Threads) / 4;
      bool const last = crew.lane() % 4 == 3;
      if (!is_here(held[k], lap_of(first + slot, source.shift)) || (last && is_spread(held[k])))
        whole = min(whole, slot);
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
      publish();
    }
    crew.sync();
    return whole == slots_ahead;
  }

  __device__ void read_ahead_full_lanes() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes), turn = state.turn;
    for (std::uint32_t warp = 0; warp < lanes; ++warp) {
      if (state.ready[warp] < slots_per_lane) continue;
      bool more = true;
      for (std::uint32_t reads = 0; more && reads < reads_per_turn; ++reads) {
        more = read_ahead((turn + warp) % state.lanes);
        tell_fetched(false);
      }
    }
  }

  __device__ bool spread_tasks_next() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes), turn = state.turn;
    bool any = false;
    for (std::uint32_t warp = 0; warp < lanes; ++warp)
      if (state.spreads[warp] != 0) any |= spread((turn + warp) % state.lanes);
    return any;
  }

  /// Puts blocks of the spread task that is next in a lane into the ring, each as a task, where there is
  /// space. True if any.
  __device__ bool spread(std::uint32_t lane) {
    auto const& slot = source.lane_slot(lane, state.got[lane]);
    auto const chunk = load_chunk<scope::system>(slot.chunks[part()], 0);
    bool const next = __shfl_sync(0xffffffff, is_spread(chunk), 3);  // not before all in front of it moved
    std::uint32_t const blocks = __shfl_sync(0xffffffff, blocks_of(chunk), 3), before = state.blocks[lane];
    std::uint32_t done = before;
    for (std::uint32_t turns = 0; next && done < blocks && turns < spreads_per_turn; ++turns) {
      find_space(Threads * slots_checked);
      auto const some = std::uint32_t(min(space(), std::uint64_t(blocks - done)));
      for (std::uint32_t i = crew.rank() / 4; i < some; i += Threads / 4)
        put(state.tail + i, part(), chunk_of_block(chunk, part(), done + i));
      done += some;
      crew.sync();
      if (crew.leader()) {
        state.tail += some;
        publish();
      }
      crew.sync();
    }
    if (crew.leader() && next) {
      state.got[lane] += done == blocks ? 1 : 0;
      state.blocks[lane] = done == blocks ? 0 : done;
    }
    crew.sync();
    return done != before;
  }

  /// Tells the host which lane slots it may write again: after many, or when there is nothing better to do.
  /// The release makes our reads of the slots come first.
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
    tell_taken(min(head, state.filled), state.filled);
    auto const now = crew.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source.words->served_ns).store_relaxed(now);
    bool const gives_up = nothing_happens(now);
    back_off(now - state.last_news_ns);
    if (gives_up) source.control.give_up();
    state.heard = said;
    state.heard_stop = stop || gives_up;
  }

  /// No task came for idle_limit, and none runs. Asked of every worker only at the limit.
  __device__ bool nothing_happens(std::uint64_t now) {
    bool const came = state.filled != state.filled_seen;
    state.filled_seen = state.filled;
    if (came) state.last_news_ns = now;
    if (now - state.last_news_ns <= source.control.idle_limit_ns) return false;
    for (std::uint32_t block = 1; block < crew.blocks(); ++block) {
      atomic_ref<std::uint64_t, scope::device> const word(source.control.activity[block]);
      if (activity(word.load_relaxed() & 3) == activity::runs) state.last_news_ns = now;
    }
    return state.last_news_ns != now;
  }

  __device__ void tell_taken(std::uint64_t taken, std::uint64_t filled) {
    using word = atomic_ref<std::uint64_t, scope::system>;
    if (taken != state.taken_told) word(source.to_host->taken).store_relaxed(taken);
    if (filled != state.filled_told) word(source.to_host->filled).store_relaxed(filled);
    state.taken_told = taken;
    state.filled_told = filled;
  }

  __device__ void adopt_heard() {
    if (crew.rank() != Threads - 1) return;
    state.lanes = std::uint32_t(state.heard);
    state.closed = (state.heard & closed_bit) != 0;
    state.over = state.heard_stop;
    if (state.over != 0) publish();
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

  /// The HALT of Chen et al. 2010, as a word that all read. Stays until every task is begun (its slot is
  /// free), so that a stop is still heard.
  __device__ void end() {
    if (crew.leader()) {
      state.ended = 1;
      publish();
    }
    crew.sync();
    while (state.over == 0 && space() < source.capacity()) {
      auto const before = space();
      hear_host();
      crew.sync();
      adopt_heard();
      crew.sync();
      find_space(source.capacity());
      if (space() == before) back_off(gpu_awake_ns + 1);
      crew.sync();
    }
  }

  /// Lanes beyond the warps come next; where the ring is full, every lane is the first at times.
  __device__ void take_turns() {
    std::uint32_t const step =
        (state.lanes > crew_type::warps ? crew_type::warps : 0) + (space() == 0 ? 1 : 0);
    state.turn = (state.turn + step) % state.lanes;
  }

  /// One turn of the server's loop; true if a task moved.
  __device__ bool round() {
    find_space(crew_type::warps * slots_per_lane);
    hear_host();
    bool moved = state.lanes != 0 && poll_lanes();
    if (moved) read_ahead_full_lanes();
    if (spread_tasks_next()) moved = true;
    crew.sync();
    tell_fetched(!moved);
    if (crew.leader() && state.lanes != 0) take_turns();
    crew.sync();
    adopt_heard();
    crew.sync();
    return moved;
  }

  __device__ void run() {
    clear();
    for (;;) {
      bool const moved = round();
      if (state.over != 0) break;
      if (!moved && state.closed != 0 && all_fetched()) break;
    }
    if (state.over == 0) end();
    crew.sync();
    tell_fetched(true);
    leave();
    hear_host();  // for the last count of taken tasks
  }

  /// Leaves for the host where each lane's tasks are that were not moved.
  __device__ void leave() const {
    for (std::uint32_t lane = crew.rank(); lane < most_lanes; lane += Threads)
      source.to_host->left_off[lane] = {state.got[lane], state.blocks[lane]};
  }
};

template <std::uint32_t Threads>
__device__ void lane_source_ref::serve(cuda_crew<Threads>& crew, lane_serving_state& state) {
  lane_server<Threads>{*this, crew, state}.run();
}

}  // namespace ballast::inline queue

#endif
