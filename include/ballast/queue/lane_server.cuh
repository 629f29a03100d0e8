// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_share_opener.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint32_t reads_per_turn = 16;         ///< of a full lane, before others are looked at
inline constexpr std::uint32_t rounds_before_telling = 64;  ///< what was fetched; a quiet one counts as eight

/// What block 0 does. Every thread of the block calls these together, except where it says otherwise.
template <std::uint32_t Threads, bool Gated>
struct lane_server : lane_share_opener<Threads, Gated> {
  using base = lane_share_opener<Threads, Gated>;
  using crew_type = cuda_crew<Threads>;
  using base::crew, base::state, base::source, base::space, base::publish;

  /// What the host says.
  struct heard {
    std::uint64_t control, head;
    bool stop;
  };

  /// The state's words may be anything before. Also copies the source there.
  __device__ void clear(lane_source_ref const& given) const {
    using word = std::uint32_t;
    static_assert(sizeof(lane_source_ref) % sizeof(word) == 0);
    auto* const words = reinterpret_cast<word*>(&state());
    auto const* const from = reinterpret_cast<word const*>(&given);
    for (std::uint32_t i = crew.rank(); i < sizeof(lane_server_memory) / sizeof(word); i += Threads)
      words[i] = 0;
    crew.sync();
    for (std::uint32_t i = crew.rank(); i < sizeof given / sizeof(word); i += Threads)
      reinterpret_cast<word*>(state().source_bytes)[i] = from[i];
    if (crew.leader()) state().last_news_ns = crew.now_ns();
    crew.sync();
  }

  __device__ void run() const {
    std::uint64_t idle_since = crew.now_ns();
    for (;;) {
      bool const moved = round();
      if (state().over != 0) break;
      if (!moved && state().closed != 0 && all_fetched()) break;
      std::uint64_t const now = crew.now_ns();
      if (moved) idle_since = now;
      back_off(now > idle_since ? now - idle_since : 0);
    }
    if (state().over == 0) end();
    crew.sync();
    tell_fetched(true);
    leave();
    crew.sync();
    if (is_listener()) note(listen());  // for the last counts
  }

 private:
  /// One turn of the server's loop; true if a task moved. Where nothing comes it is one read over PCIe, that
  /// of every lane and of the host's words at once, and two syncs.
  __device__ bool round() const {
    bool const tells = state().untold_rounds >= rounds_before_telling;
    if (tells) tell_fetched(true);
    this->find_space(crew_type::warps * slots_per_poll);
    heard said{};
    if (is_listener()) said = listen();
    std::uint32_t const lanes = min(crew_type::warps, state().lanes);
    bool const seen = crew.warp() < lanes && this->poll_lane(polled_lane(crew.warp()), lanes);
    bool const moved = crew.any(seen) && move_all(lanes);
    if (is_listener()) {
      state().untold_rounds = tells ? 0 : state().untold_rounds + (moved ? 1 : 8);
      take_turns();
      note(said);
    }
    crew.sync();
    return moved;
  }

  __device__ std::uint32_t polled_lane(std::uint32_t warp) const {
    std::uint32_t const lane = state().turn + warp;
    return lane < state().lanes ? lane : lane - state().lanes;
  }

  /// After polls that saw something; true if any of it moved. Ends with a sync.
  __device__ bool move_all(std::uint32_t lanes) const {
    bool moved = state().moved != 0;
    crew.sync();
    this->book_polled();
    for (std::uint32_t warp = 0; warp < lanes; ++warp) {
      if (state().found[warp] == slots_per_poll) read_full_lane(polled_lane(warp));
      if (state().spread_found[warp] != 0 && base::share_out(*this, polled_lane(warp))) moved = true;
    }
    crew.sync();
    tell_fetched(false);
    crew.sync();
    return moved;
  }

  __device__ void read_full_lane(std::uint32_t lane) const {
    bool more = true;
    for (std::uint32_t reads = 0; more && reads < reads_per_turn; ++reads) {
      more = base::read_ahead(*this, lane);
      tell_fetched(false);
    }
  }

  /// For the listener. Lanes beyond the warps come next; where space is so little that only the first lane
  /// may have some, every lane is the first at times.
  __device__ void take_turns() const {
    std::uint32_t const beyond = state().lanes > crew_type::warps ? crew_type::warps : 0;
    bool const tight = space() < std::uint64_t(slots_per_poll) * min(crew_type::warps, state().lanes);
    std::uint32_t const turn = state().turn + (tight ? 1 : beyond);
    state().turn = turn < state().lanes ? turn : state().lanes == 0 ? 0 : turn % state().lanes;
  }

  /// Tells the host which lane slots it may write again: after many, or when there is nothing better to do.
  /// The release makes our reads of the slots come first.
  __device__ void tell_fetched(bool idle) const {
    for (std::uint32_t lane = crew.rank(); lane < state().lanes; lane += Threads) {
      std::uint64_t const got = state().got[lane];  // once: another warp may be adding to it
      std::uint32_t const untold = std::uint32_t(got) - state().told[lane];
      if (untold == 0 || (!idle && untold < max(source().capacity() / 4, std::uint64_t(1)))) continue;
      atomic_ref<std::uint64_t, scope::system>(source().to_host->fetched[lane]).store_release(got);
      state().told[lane] = std::uint32_t(got);
    }
  }

  /// The last thread reads what the host says while the others poll lanes, so that the latencies overlap.
  __device__ bool is_listener() const { return crew.rank() == Threads - 1; }

  __device__ heard listen() const {
    auto const control = atomic_ref<std::uint64_t, scope::system>(source().from_host->control).load_relaxed();
    bool const stop = source().control.stop_asked() || workers_halted();
    return {control, atomic_ref<std::uint64_t, scope::device>(source().words->head).load_relaxed(), stop};
  }

  __device__ bool workers_halted() const {
    return Gated && atomic_ref<std::uint32_t, scope::device>(*source().pool_halt_word).load_relaxed() != 0;
  }

  /// For the listener, while nobody reads the state().
  __device__ void note(heard const& said) const {
    tell_taken(min(said.head, state().tail) + state().unlisted, state().tail + state().unlisted);
    auto const now = crew.now_ns();
    atomic_ref<std::uint64_t, scope::device>(source().words->served_ns).store_relaxed(now);
    bool const gives_up = nothing_happens(now);
    if (gives_up) source().control.give_up();
    state().lanes = std::uint32_t(said.control);
    state().closed = (said.control & closed_bit) != 0;
    state().over = said.stop || gives_up;
    if (state().over) publish();
  }

  /// No task came for idle_limit, and none runs. Asked of every worker only at the limit, and twice: a task
  /// may go from who is looked at later to who was looked at before, but then their words change.
  __device__ bool nothing_happens(std::uint64_t now) const {
    bool const came = state().tail != state().tail_seen;
    state().tail_seen = state().tail;
    if (came) state().last_news_ns = now;
    if (now - state().last_news_ns <= source().control.idle_limit_ns) return false;
    std::uint64_t first = 0, second = 0;
    bool const all_wait = source().control.none_runs(1, crew.blocks(), first) &&
                          source().control.none_runs(1, crew.blocks(), second) && first == second;
    if (!all_wait) state().last_news_ns = now;
    return all_wait;
  }

  /// In tasks; of a spread one all but the entries count as taken at once.
  __device__ void tell_taken(std::uint64_t taken, std::uint64_t filled) const {
    using word = atomic_ref<std::uint64_t, scope::system>;
    if (taken != state().taken_told) word(source().to_host->taken).store_relaxed(taken);
    if (filled != state().filled_told) word(source().to_host->filled).store_relaxed(filled);
    state().taken_told = taken;
    state().filled_told = filled;
  }

  __device__ bool all_fetched() const {
    fence_after_relaxed<scope::system>();  // the totals were written before the host said closed
    std::uint32_t const lane = crew.rank();
    bool const done =
        lane >= state().lanes ||
        atomic_ref<std::uint64_t, scope::system>(source().from_host->submitted[lane]).load_relaxed() ==
            state().got[lane];
    return crew.smallest(done) != 0;
  }

  /// The HALT of Chen et al. 2010, as a word that all read. Stays until every task is begun (its slot is
  /// free) and no blocks are shared any more, so that a stop is still heard.
  __device__ void end() const {
    if (crew.leader()) {
      state().ended = 1;
      publish();
    }
    crew.sync();
    while (state().over == 0 && (space() < source().capacity() || this->shares_in_use())) {
      auto const before = space();
      crew.sync();
      if (is_listener()) note(listen());
      crew.sync();
      this->find_space(source().capacity());
      if (space() == before) back_off(gpu_awake_ns + 1);
      crew.sync();
    }
  }

  /// Leaves for the host where each lane's tasks are that were not moved. A spread task that is shared out in
  /// part has its share.
  __device__ void leave() const {
    for (std::uint32_t lane = crew.rank(); lane < most_lanes; lane += Threads) {
      bool const in_part = state().entries != 0 && state().entries_lane == lane;
      bool const is_shared = in_part && !Gated;
      source().to_host->left_off[lane] = {state().got[lane] + (is_shared ? 1 : 0),
                                          in_part && !is_shared ? state().entries_moved : 0};
    }
  }
};

template <bool Gated, std::uint32_t Threads>
__device__ BALLAST_APART void lane_source_ref::serve(cuda_crew<Threads> crew,
                                                     lane_server_memory& memory) const {
  lane_server<Threads, Gated> const server{{{crew, shared_ref(memory)}}};
  server.clear(*this);
  server.run();
}

}  // namespace ballast::inline queue

#endif
