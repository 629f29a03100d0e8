// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_finish.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint64_t gpu_awake_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint32_t chunks_in_flight = 4;   ///< 16-byte PCIe reads per thread when reading ahead
inline constexpr std::uint32_t slots_per_poll = 8;     ///< one warp instruction: 32 lanes of 16 bytes
inline constexpr std::uint32_t slots_checked = 4;      ///< ring slots that a thread looks at for space
inline constexpr std::uint32_t reads_per_turn = 16;    ///< of a full lane, before others are looked at

inline constexpr std::uint32_t near_tickets = 64;      ///< who waits so near to its task's coming stays awake
inline constexpr std::uint32_t looks_per_news = 16;    ///< the server's word is one for all: read it rarely
inline constexpr std::uint32_t news_lasts_ns = 5'000;  ///< so fast nobody drains what is called many
inline constexpr std::uint32_t late_looks = 1 << 16;   ///< of a late server, until it counts as gone
inline constexpr std::uint32_t many_per_worker = 64;   ///< waiting tasks, for workers to take several at once

/// Sleeps longer the longer nothing came; not at all in the first 50 us.
__device__ inline void back_off(std::uint64_t idle_ns) {
  if (idle_ns > gpu_awake_ns) __nanosleep(idle_ns > 20 * gpu_awake_ns ? 1000 : 200);
}

/// Whether the server, which looks around all the time and says so, has not for idle_limit. Asked rarely,
/// since only a long wait can end so.
__device__ inline bool lane_source_ref::server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const {
  if (idle_ns <= control.idle_limit_ns) return false;
  auto const served_ns = atomic_ref<std::uint64_t, scope::device>(words->served_ns).load_relaxed();
  return served_ns != 0 && now_ns > served_ns && now_ns - served_ns > control.idle_limit_ns;
}

/// How many of eight slots are whole, from the first on; `here` says of each lane whether its chunk is there.
__device__ inline std::uint32_t whole_slots(bool here) {
  std::uint32_t mask = __ballot_sync(0xffffffff, here);
  mask &= mask >> 1;
  mask &= mask >> 2;
  std::uint32_t const missing = ~mask & 0x11111111;
  return missing == 0 ? slots_per_poll : (__ffs(missing) - 1) / 4;
}

/// How the first warp of a worker gets its next task.
template <std::uint32_t Threads>
struct lane_taker {
  using crew_type = cuda_crew<Threads>;
  static_assert(crew_type::most_held == slots_per_poll);

  lane_source_ref const& source;
  crew_type& crew;
  std::uint64_t waits_since = 0;
  bool fresh = false;      ///< the leader: the tickets were claimed just now
  bool far = false;        ///< many other tasks will come before ours
  std::uint32_t late = 0;  ///< looks in a row at which the server was late

  /// The next of the tasks that were taken together, or else of those to come; false: the worker ends.
  /// What stays between tasks in shared memory is the leader's: it reads it and tells the other lanes.
  __device__ bool next() {
    __syncwarp();
    bool const more = told(std::uint32_t(crew.leader() && crew.holds_more())) != 0;
    if (more && stale() && hear_server(first_taken(), 0)) {
      source.note_activity(crew, first_taken(), activity::left);
      return false;
    }
    if (!more && !take()) return false;
    if (crew.leader()) begin(more ? crew.shared().present + 1 : 0);
    __syncwarp();
    return true;
  }

 private:
  template <class Value>
  __device__ static Value told(Value by_leader) {
    return __shfl_sync(0xffffffff, by_leader, 0);
  }

  __device__ std::uint64_t first_taken() const { return told(crew.leader() ? crew.shared().first : 0); }

  /// From here on the task is ours: a stop hands back those that nobody began. The fence in await() puts all
  /// reads of the slot before.
  __device__ void begin(std::uint32_t present) const {
    crew.shared().present = present;
    auto const ticket = crew.shared().first + present;
    source.released_word(ticket).store_relaxed(std::uint32_t(ticket >> source.shift) + 1);
    source.note_activity(crew, ticket, activity::runs);
  }

  /// Whether the server was last heard too long ago to know whether many tasks wait.
  __device__ bool stale() const {
    bool const old =
        crew.leader() && std::uint32_t(crew.now_ns()) - crew.notes()[note::heard_ns] > news_lasts_ns;
    return told(std::uint32_t(old)) != 0;
  }

  /// Claims tickets, unless some are claimed already, and waits for the first task; false: the worker ends.
  __device__ bool take() {
    bool const many = !stale();
    std::uint64_t first = 0;
    std::uint32_t wanted = 0;
    if (crew.leader()) {
      auto const& notes = crew.notes();
      first = crew.shared().first + crew.shared().held;
      wanted = notes[note::claimed];
      if (wanted == 0) {
        wanted = many && notes[note::many] != 0 ? crew_type::most_held : 1;
        first = atomic_ref<std::uint64_t, scope::device>(source.words->head).add_relaxed(wanted);
        fresh = true;
      }
    }
    first = told(first);
    wanted = told(wanted);
    std::uint32_t const ready = await(first, wanted);
    if (ready == 0) source.note_activity(crew, first, activity::left);
    if (crew.leader()) {
      crew.shared().first = first;
      crew.shared().held = ready;
      crew.notes()[note::claimed] = wanted - ready;
    }
    return ready != 0;
  }

  /// Every four lanes read a slot, a chunk each, so that one load instruction brings readiness and payload.
  /// Polls are relaxed; one fence follows (an acquire per poll empties the L1). How many tasks have come,
  /// from the first ticket on; 0: leave.
  __device__ std::uint32_t await(std::uint64_t first, std::uint32_t wanted) {
    std::uint32_t const slot = crew.lane() / 4, part = crew.lane() % 4;
    auto const lap = lap_of(first + slot, source.shift);
    auto const& there = source.ring_slot(first + slot).chunks[part];
    stamped_chunk chunk{{}, 0};
    std::uint32_t ready = 0;
    for (std::uint32_t looks = 0; ready == 0; ++looks) {
      if (slot < wanted) chunk = load_chunk<scope::device>(there, lap);
      if ((far || looks % looks_per_news == 0) && hear_server(first, looks)) return 0;
      ready = whole_slots(slot < wanted && is_here(chunk, lap));
    }
    __syncwarp();  // the leader's fence is for the other lanes' reads too
    fence_after_relaxed<scope::device>();
    if (slot < ready) keep(chunk, slot, part);
    return ready;
  }

  __device__ void keep(stamped_chunk const& chunk, std::uint32_t slot, std::uint32_t part) const {
    for (int word = 0; word < 3; ++word) crew.shared().records[slot].data[3 * part + word] = chunk.data[word];
    crew.shared().metas[slot][part] = chunk.stamp >> 16;
  }

  /// Learns how far the server is, which decides how many tasks to take next and whether to sleep. True:
  /// leave, since no task comes for ticket `first`.
  __device__ bool hear_server(std::uint64_t first, std::uint32_t looks) {
    std::uint64_t word = 0;
    if (crew.leader()) word = atomic_ref<std::uint64_t, scope::device>(source.words->news).load_relaxed();
    auto const news = server_news::of(told(word));
    auto const waiting = std::int32_t(news.filled - std::uint32_t(first));  // tasks from ours on
    auto const now = crew.now_ns();
    if (crew.leader()) {
      // Only what was claimed just now tells how many tasks nobody has claimed.
      crew.notes()[note::many] = fresh && waiting > std::int32_t(many_per_worker * crew.blocks());
      crew.notes()[note::heard_ns] = std::uint32_t(now);
    }
    fresh = false;
    far = waiting + std::int32_t(near_tickets) < 0;
    if (looks == 0) waits_since = now;
    if (looks == looks_per_news) source.note_activity(crew, first, activity::waits);
    auto const idle_ns = now - waits_since;
    if (far) back_off(idle_ns);
    return news.stop || (news.ended && waiting <= 0) || server_vanished(idle_ns, now);
  }

  /// No wait without an end; but a device that was paused as a whole has a late server for a moment.
  __device__ bool server_vanished(std::uint64_t idle_ns, std::uint64_t now_ns) {
    late = __any_sync(0xffffffff, source.server_is_late(idle_ns, now_ns)) ? late + 1 : 0;
    return late > late_looks;
  }
};

template <std::uint32_t Threads>
__device__ bool lane_source_ref::next(cuda_crew<Threads>& crew) {
  bool const goes_on = crew.warp() == 0 && lane_taker<Threads>{*this, crew}.next();
  return crew.told_by_leader(goes_on) != 0;
}

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
      state.tail = state.tail_seen = state.free_until = state.taken_told = 0;
      state.last_news_ns = crew.now_ns();
      state.turn = state.lanes = state.closed = state.ended = state.over = 0;
    }
    crew.sync();
  }

  __device__ std::uint64_t space() const { return state.free_until - state.tail; }

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
  __device__ void publish() const {
    server_news const news{std::uint32_t(state.tail), state.ended != 0, state.over != 0};
    atomic_ref<std::uint64_t, scope::device>(source.words->news).store_relaxed(news.word());
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
      std::uint32_t const whole = whole_slots(is_here(chunk, lap));
      if (crew.lane() == 0) state.ready[crew.warp()] = whole;
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
    tell_taken(min(head, state.tail));
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
    find_space(crew_type::warps * slots_per_poll);
    hear_host();
    bool const moved = state.lanes != 0 && poll_lanes() != 0;
    if (moved) read_ahead_full_lanes();
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
