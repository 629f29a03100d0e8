// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/lane_finish.cuh"
#include "ballast/queue/lane_poll.cuh"
#include "ballast/queue/lane_share_taker.cuh"

#if defined(__CUDACC__)

namespace ballast::inline queue {

inline constexpr std::uint32_t near_tickets = 64;    ///< who waits so near to its task's coming stays awake
inline constexpr std::uint32_t looks_per_news = 16;  ///< the server's word is one for all: read it rarely
inline constexpr std::uint32_t news_lasts_ns = 20'000;  ///< so fast nobody drains what is called many
inline constexpr std::uint32_t late_looks = 1 << 16;    ///< of a late server, until it counts as gone
inline constexpr std::uint32_t many_per_worker = 64;  ///< waiting tasks, for workers to take several at once

/// Whether the server, which looks around all the time and says so, has not for idle_limit. Asked rarely,
/// since only a long wait can end so.
__device__ inline bool lane_source_ref::server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const {
  if (idle_ns <= control.idle_limit_ns) return false;
  auto const served_ns = atomic_ref<std::uint64_t, scope::device>(words->served_ns).load_relaxed();
  return served_ns != 0 && now_ns > served_ns && now_ns - served_ns > control.idle_limit_ns;
}

/// How the first warp of a worker gets its next task.
template <std::uint32_t Threads>
struct lane_taker : lane_share_taker<Threads> {
  using base = lane_share_taker<Threads>;
  using base::source, base::crew;
  using typename base::crew_type;
  static_assert(crew_type::most_held == slots_per_poll);

  std::uint64_t waits_since = 0;
  bool fresh = false;      ///< the leader: the tickets were claimed just now
  bool far = false;        ///< many other tasks will come before ours
  std::uint32_t late = 0;  ///< looks in a row at which the server was late

  /// The next block of a spread task, or the next of the tasks that were taken together, or else of those to
  /// come; false: the worker ends. What stays between tasks in shared memory is the leader's: it reads it and
  /// tells the other lanes.
  __device__ bool next() {
    for (;;) {
      __syncwarp();  // the leader reads what others have kept
      std::uint32_t const step = told(std::uint32_t(crew.leader() ? next_step() : lane_step::takes));
      if (step != lane_step::takes) return step == lane_step::runs;
      if (!take()) return false;
    }
  }

 private:
  template <class Value>
  __device__ static Value told(Value by_leader) {
    return __shfl_sync(0xffffffff, by_leader, 0);
  }

  // For the leader, from here on. What is rare is not inlined: short straight code is what makes small tasks
  // fast, since each block runs it again and again with the kernels' code in between.

  __device__ lane_step::kind next_step() const {
    for (;;) {
      if (crew.notes()[note::share] != 0) {
        auto const found = this->next_blocks(crew.notes()[note::share] - 1);
        if (found != lane_step::takes) return found;
      }
      std::uint32_t const present = crew.shared().present + 1;
      if (present >= crew.shared().held) return lane_step::takes;
      if (stale() && asked_to_leave()) return lane_step::leaves;
      if (!begin(present)) return lane_step::runs;
      this->enter_share();
    }
  }

  /// From here on the task is ours: a stop hands back those that nobody began. The fence in await() puts all
  /// reads of the slot before. Says whether it is a spread task's entry.
  __device__ bool begin(std::uint32_t present) const {
    crew.shared().present = present;
    auto const ticket = crew.shared().first + present;
    source.released_word(ticket).store_relaxed(std::uint32_t(ticket >> source.shift) + 1);
    if (present == 0) source.note_activity(crew, ticket, activity::runs);
    return crew.shared().records[present].is_spread();
  }

  /// Whether the server was last heard too long ago to know whether many tasks wait.
  __device__ bool stale() const {
    return std::uint32_t(crew.now_ns()) - crew.notes()[note::heard_ns] > news_lasts_ns;
  }

  /// Before a task that is there already.
  __device__ bool asked_to_leave() const {
    auto const news = source.news_for(crew.block()).load_relaxed();
    crew.notes()[note::heard_ns] = std::uint32_t(crew.now_ns());
    crew.notes()[note::many] = 0;
    if (!server_news::of(news).stop) return false;
    source.note_activity(crew, crew.shared().first, activity::left);
    return true;
  }

  // For the whole warp.

  /// Claims tickets, unless some are claimed already, and waits for the first task; false: the worker ends.
  __device__ bool take() {
    std::uint64_t first = 0;
    std::uint32_t wanted = 0;
    if (crew.leader()) {
      auto const& notes = crew.notes();
      first = crew.shared().first + crew.shared().held;
      wanted = notes[note::claimed];
      if (wanted == 0) {
        wanted = notes[note::many] != 0 && !stale() ? crew_type::most_held : 1;
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
      crew.shared().present = std::uint32_t(-1);  // before the first
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
    if (crew.leader()) word = source.news_for(crew.block()).load_relaxed();
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
__device__ bool lane_source_ref::next(cuda_crew<Threads>& crew) const {
  bool const goes_on = crew.warp() == 0 && lane_taker<Threads>{{*this, crew}}.next();
  return crew.any(goes_on);
}

}  // namespace ballast::inline queue

#endif
