// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_poll.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint32_t chunks_in_flight = 4;  ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_checked = 4;     ///< ring slots that a thread looks at for space
inline constexpr std::uint32_t slots_checked_for_entries = 16;  ///< as all of them will be filled at once
inline constexpr std::uint32_t reads_per_turn = 16;  ///< of a full lane, before others are looked at

/// What block 0 does. Its state is in shared memory, known to all threads; each word has one writer between
/// two syncs.
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
      state.tail = state.tail_seen = state.free_until = state.taken_told = state.filled_told = 0;
      state.unlisted = 0;
      state.share = state.entries = state.entries_lane = 0;
      state.last_news_ns = crew.now_ns();
      state.turn = state.lanes = state.closed = state.ended = state.over = 0;
    }
    crew.sync();
  }

  __device__ std::uint64_t space() const { return state.free_until - state.tail; }

  /// Looks whether ring slots became free; needed only when little space is left. `Each`: at so many a
  /// thread.
  template <std::uint32_t Each = slots_checked>
  __device__ void find_space(std::uint64_t wanted) {
    if (space() >= wanted) return;
    std::uint32_t found = Threads * Each;
#  pragma unroll
    for (std::uint32_t k = Each; k-- > 0;) {
      std::uint32_t const i = crew.rank() + k * Threads;
      if (!source.ring_slot_is_free(state.free_until + i)) found = i;
    }
    found = crew.smallest(found);
    fence_after_relaxed<scope::device>();  // the workers' reads of the slots come before our writes
    if (crew.leader()) state.free_until += found;
    crew.sync();
  }

  /// Tells the workers how many tickets have their task, after the slots were written.
  __device__ void publish() const {
    server_news const news{std::uint32_t(state.tail), state.ended != 0, state.over != 0};
    atomic_ref<std::uint64_t, scope::device>(source.words->news).store_relaxed(news.word());
  }

  /// One poll of up to one lane per warp: a single load instruction sees the next 8 slots of a lane. What is
  /// there moves to the ring, up to the first spread task; returns how much. A lane with 8 has more: it is
  /// read ahead by the whole block.
  __device__ std::uint64_t poll_lanes() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes);
    std::uint32_t const slot = crew.lane() / 4, part = crew.lane() % 4;
    stamped_chunk chunk{{}, 0};
    if (crew.warp() < lanes) {
      std::uint32_t const lane = (state.turn + crew.warp()) % state.lanes;
      std::uint64_t const ticket = state.got[lane] + slot;
      auto const lap = lap_of(ticket, source.shift);
      chunk = load_chunk<scope::system>(source.lane_slot(lane, ticket).chunks[part], lap);
      std::uint32_t const whole = whole_slots(is_here(chunk, lap));
      std::uint32_t const plain = whole_slots(is_here(chunk, lap) && !(part == 3 && is_spread(chunk)));
      if (crew.lane() == 0) {
        state.ready[crew.warp()] = plain;
        state.spreads[crew.warp()] = plain < whole;
      }
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
    publish();
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
      bool const spread = crew.lane() % 4 == 3 && is_spread(held[k]);
      if (spread || !is_here(held[k], lap_of(first + slot, source.shift))) whole = min(whole, slot);
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
      if (state.ready[warp] < slots_per_poll) continue;
      bool more = true;
      for (std::uint32_t reads = 0; more && reads < reads_per_turn; ++reads) {
        more = read_ahead((turn + warp) % state.lanes);
        tell_fetched(false);
      }
    }
  }

  __device__ bool share_out_spread_tasks() {
    std::uint32_t const lanes = min(crew_type::warps, state.lanes), turn = state.turn;
    bool any = false;
    for (std::uint32_t warp = 0; warp < lanes; ++warp)
      if (state.spreads[warp] != 0) any |= share_out((turn + warp) % state.lanes);
    return any;
  }

  /// If a spread task is next in the lane: gives it a share of its own, and as many entries in the ring as
  /// workers may come to take its blocks. True if anything happened.
  __device__ bool share_out(std::uint32_t lane) {
    auto chunk =
        load_chunk<scope::system>(source.lane_slot(lane, state.got[lane]).chunks[crew.lane() % 4], 0);
    if (__shfl_sync(0xffffffff, std::uint32_t(is_spread(chunk)), 3) == 0) return false;  // others come before
    if (state.entries == 0 && !open_share(lane, chunk)) return false;
    if (state.entries_lane != lane) return false;
    if (crew.lane() % 4 == 3) chunk = entry_of_share(chunk, state.share);
    bool any = false;
    while (put_entries(chunk)) any = true;
    return any;
  }

  /// As many entries as there is space for; false if that is none.
  __device__ bool put_entries(stamped_chunk const& chunk) {
    find_space<slots_checked_for_entries>(state.entries);
    auto const some = std::uint32_t(min(space(), std::uint64_t(state.entries)));
    for (std::uint32_t i = crew.rank() / 4; i < some; i += Threads / 4)
      put(state.tail + i, crew.lane() % 4, chunk);
    crew.sync();
    if (crew.leader() && some != 0) {
      state.tail += some;
      state.entries -= some;
      if (state.entries == 0) ++state.got[state.entries_lane];
      publish();
    }
    crew.sync();
    return some != 0;
  }

  /// False if every share still has entries that are not used up.
  __device__ bool open_share(std::uint32_t lane, stamped_chunk const& chunk) {
    std::uint32_t const found = free_share();
    if (found == most_shares) return false;
    fence_after_relaxed<scope::device>();  // its last user is done with it
    auto& share = source.words->shares[found];
    std::uint32_t const blocks = __shfl_sync(0xffffffff, blocks_of(chunk), 3);
    if (crew.rank() < 4) share.whole.chunks[crew.rank()] = chunk;
    if (crew.leader()) {
      state.share = found;
      state.entries = min(blocks, crew.blocks() - 1);
      state.entries_lane = lane;
      state.unlisted += blocks - state.entries;
      atomic_ref<std::uint32_t, scope::device>(share.next).store_relaxed(0);
      atomic_ref<std::uint32_t, scope::device>(share.entries).store_relaxed(state.entries);
    }
    crew.sync();
    fence_after_relaxed<scope::device>();  // the leader's words come before everybody's entries
    return true;
  }

  __device__ std::uint32_t free_share() {
    std::uint32_t const i = crew.rank();
    bool const free =
        i < most_shares &&
        atomic_ref<std::uint32_t, scope::device>(source.words->shares[i].entries).load_relaxed() == 0;
    return crew.smallest(free ? i : most_shares);
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
    tell_taken(min(head, state.tail) + state.unlisted, state.tail + state.unlisted);
    auto const now = crew.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source.words->served_ns).store_relaxed(now);
    bool const gives_up = nothing_happens(now);
    if (gives_up) source.control.give_up();
    heard_lanes = std::uint32_t(said);
    heard_closed = (said & closed_bit) != 0;
    heard_stop = stop || gives_up;
  }

  /// No task came for idle_limit, and none runs. Asked of every worker only at the limit.
  __device__ bool nothing_happens(std::uint64_t now) {
    bool const came = state.tail != state.tail_seen;
    state.tail_seen = state.tail;
    if (came) state.last_news_ns = now;
    if (now - state.last_news_ns <= source.control.idle_limit_ns) return false;
    for (std::uint32_t block = 1; block < crew.blocks(); ++block) {
      atomic_ref<std::uint64_t, scope::device> const word(source.control.activity[block]);
      if (activity(word.load_relaxed() & 3) == activity::runs) state.last_news_ns = now;
    }
    return state.last_news_ns != now;
  }

  /// In tasks; of a spread one all but the entries count as taken at once.
  __device__ void tell_taken(std::uint64_t taken, std::uint64_t filled) {
    using word = atomic_ref<std::uint64_t, scope::system>;
    if (taken != state.taken_told) word(source.to_host->taken).store_relaxed(taken);
    if (filled != state.filled_told) word(source.to_host->filled).store_relaxed(filled);
    state.taken_told = taken;
    state.filled_told = filled;
  }

  __device__ void adopt_heard() {
    if (crew.rank() != Threads - 1) return;
    state.lanes = heard_lanes;
    state.closed = heard_closed;
    state.over = heard_stop;
    if (heard_stop) publish();
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

  __device__ bool shares_in_use() {
    bool const idle =
        crew.rank() >= most_shares ||
        atomic_ref<std::uint32_t, scope::device>(source.words->shares[crew.rank()].entries).load_relaxed() ==
            0;
    return crew.smallest(idle) == 0;
  }

  /// The HALT of Chen et al. 2010, as a word that all read. Stays until every task is begun (its slot is
  /// free) and no blocks are shared any more, so that a stop is still heard.
  __device__ void end() {
    if (crew.leader()) {
      state.ended = 1;
      publish();
    }
    crew.sync();
    while (state.over == 0 && (space() < source.capacity() || shares_in_use())) {
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
    std::uint32_t const beyond = state.lanes > crew_type::warps ? crew_type::warps : 0;
    state.turn = (state.turn + (space() == 0 ? 1 : beyond)) % state.lanes;
  }

  /// One turn of the server's loop; true if a task moved.
  __device__ bool round() {
    find_space(crew_type::warps * slots_per_poll);
    hear_host();
    bool moved = state.lanes != 0 && poll_lanes() != 0;
    if (moved) read_ahead_full_lanes();
    if (share_out_spread_tasks()) moved = true;
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
    std::uint64_t idle_since = crew.now_ns();
    for (;;) {
      bool const moved = round();
      if (state.over != 0) break;
      if (!moved && state.closed != 0 && all_fetched()) break;
      std::uint64_t const now = crew.now_ns();
      if (moved) idle_since = now;
      back_off(now > idle_since ? now - idle_since : 0);
    }
    if (state.over == 0) end();
    crew.sync();
    tell_fetched(true);
    leave();
    hear_host();  // for the last counts
  }

  /// Leaves for the host where each lane's tasks are that were not moved. A spread task that is shared out in
  /// part has its share.
  __device__ void leave() const {
    for (std::uint32_t lane = crew.rank(); lane < most_lanes; lane += Threads)
      source.to_host->left_off[lane] = {
          state.got[lane] + (state.entries != 0 && state.entries_lane == lane ? 1 : 0), 0};
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
