// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/pool/chunks.cuh"
#include "ballast/pool/pool_loop.cuh"
#include "ballast/queue/lane_host.cuh"
#include "ballast/queue/lane_worker.cuh"

namespace ballast::inline queue {

/// A batch by its place among the counters; trivially made, as shared memory asks.
struct alignas(16) batch_name {
  std::uint32_t lane, slot, lap;
};

/// What a worker remembers where the host feeds tasks that create tasks. All tasks in its hand are of one
/// batch.
struct fed_worker : pool_worker {
  batch_name batch;         ///< of the tasks in the hand, or of those that ran last
  std::uint32_t credit;     ///< of roots that were taken and are not in the batch's counter yet
  std::uint32_t roots;      ///< how many these are
  std::uint32_t heard;      ///< GPU: how many tasks had come when none was found
  std::uint32_t late;       ///< GPU: looks in a row at which the server was late
  std::uint64_t ticket;     ///< the first of those that were claimed and not taken yet
  std::uint32_t claimed;    ///< how many these are
  std::uint64_t bell_seen;  ///< host: rings of the workers' bell, before the last look
};

/// Where a run's first tasks come from the host while the workers work, through the lanes, the server and the
/// ring of lane_source_ref; what they create stays in the pool. A worker takes them by the count that the
/// server raises, so that it has a ticket only when its task is there, or being written: in the meantime it
/// may steal.
///
/// A batch is complete when its tasks and all that came of them have run. Its counter has the sum of the
/// credits (see batch_mark) of the tasks that were taken, times 2^32, and the number of those that were taken
/// or created and have not finished. A worker adds to it before it shows tasks to others and before it takes
/// some of another batch; so the number is never below zero, and both are zero only in the end.
struct fed_view : pool_view {
  using worker_type = fed_worker;

  lane_source_ref source;
  std::uint64_t* counters = nullptr;  ///< lanes x batch slots
  batch_name* origins = nullptr;      ///< of each chunk

  BALLAST_HD server_news news_for(fed_worker const& me) const {
    auto const block = BALLAST_ON_GPU ? me.number : 0;
    return server_news::of(poll(source.news_for(block)));
  }

  template <class Crew>
  BALLAST_HD bool stop_asked(Crew const&, [[maybe_unused]] resident_control const& control) const {
#if BALLAST_ON_GPU
    return server_news::of(source.news_for(blockIdx.x).load_relaxed()).stop;  // no read over PCIe
#else
    return control.stop_asked() || server_news::of(source.news_for(0).load_acquire()).stop;
#endif
  }

  /// Leader, with an empty hand: tasks of one batch from the ring.
  BALLAST_HD bool take_waiting(fed_worker& me) const {
    if (me.claimed == 0) claim(me);
    while (me.claimed != 0 && take(me)) {}
    return me.held() != 0;
  }

  BALLAST_HD void note_shown(fed_worker const& me, std::uint32_t chunk) const { origin_of(chunk) = me.batch; }
  BALLAST_HD void note_taken(fed_worker& me, std::uint32_t chunk) const { enter(me, origin_of(chunk)); }
  /// Workers of a GPU that wait for the host, perhaps for long, leave the L2 to those that work.
  BALLAST_HD bool may_steal(fed_worker const& me) const {
    return !BALLAST_ON_GPU || me.idle_looks < looks_at_once || me.idle_looks % looks_between_steals == 0;
  }
  BALLAST_HD void wake_others() const {
#if !BALLAST_ON_GPU
    source.workers_bell->ring();
#endif
  }

  BALLAST_HD void settle(fed_worker& me) const {
    if (me.roots == 0 && me.delta == 0) return;
    auto const pending = std::uint64_t(std::int64_t(std::int32_t(me.delta)));
    std::uint64_t const change = (std::uint64_t(me.credit) << 32) + pending;
    me.roots = me.credit = me.delta = 0;
    if (change == 0 || add(me.batch, change) == 0)
      source.tell_host_complete(place_of(me.batch), me.batch.lap);
  }

  template <class Crew>
  BALLAST_HD bool rest(Crew const& crew, resident_control const& control, fed_worker& me) const {
    auto const news = news_for(me);
    if (is_halted() || news.stop || news.ended) return false;
    auto const idle_ns = crew.now_ns() - me.idle_since_ns;
#if BALLAST_ON_GPU
    back_off(idle_ns);
    me.late = source.server_is_late(idle_ns, crew.now_ns()) ? me.late + 1 : 0;
    return me.late <= late_looks;
#else
    if (control.stop_asked()) return false;
    if (!source.serve_if_free(crew)) doze(crew, me, idle_ns);
    me.bell_seen = source.workers_bell->rings();
    return true;
#endif
  }

 private:
  BALLAST_HD batch_name& origin_of(std::uint32_t chunk) const {
    return array_ref<batch_name>(origins)[chunk];
  }

  /// Claims tickets, if any are left. The count of those is one word for all: a GPU's worker that waits looks
  /// at it after news, and now and then.
  BALLAST_HD void claim(fed_worker& me) const {
    std::uint32_t filled = ~me.heard;  // not known
    if (BALLAST_ON_GPU && me.idle_looks % looks_between_counts != 0) {
      filled = news_for(me).filled;
      if (filled == me.heard) return;
    }
    device_atomic<std::uint32_t> const ready(source.words->ready);
    std::uint32_t const seen = ready.load_relaxed();
    me.heard = is_positive(seen) ? ~filled : filled;
    if (!is_positive(seen)) return;
    std::uint32_t const wished = wish(seen), left = ready.add_relaxed(0 - wished);
    std::uint32_t const given = !is_positive(left) ? 0 : left < wished ? left : wished;
    if (given != wished) ready.add_relaxed(wished - given);
    if (given != 0) me.ticket = source.claim(given);
    me.claimed = given;
  }

  BALLAST_HD static bool is_positive(std::uint32_t count) { return static_cast<std::int32_t>(count) > 0; }

  /// As many as a warp runs together, if that leaves as many for others; else several only while very many
  /// wait, so that nobody holds back what another could begin.
  BALLAST_HD std::uint32_t wish(std::uint32_t unclaimed) const {
    std::uint32_t const each = unclaimed / workers;
    if (tasks_at_once == 1) return each > many_for_each ? several : 1;
    return each < 1 ? 1 : each < tasks_at_once ? each : tasks_at_once;
  }

  /// The next claimed task, unless it is of another batch than those in the hand. The server has written it,
  /// or is doing it.
  BALLAST_HD bool take(fed_worker& me) const {
    task_record record;
    std::uint32_t marks[4];
    for (std::uint32_t looks = 0; !source.read_ring(me.ticket, record, marks); ++looks) {
      if (looks < most_looks) continue;
      halt_for(pool_halt::stalled);
      return false;
    }
    auto const mark = mark_of(marks);
    batch_name const batch{mark.lane, mark.slot, mark.lap};
    if (me.held() != 0 && !is_same(batch, me.batch)) return false;
    source.release(me.ticket++);
    --me.claimed;
    enter(me, batch);
    me.credit += mark.credit;
    ++me.roots;
    ++me.delta;
    ++me.counts.created;
    hand_of(me.number)[me.end++].record = record;
    me.has_news = 1;
    me.note_stored();
    return true;
  }

  BALLAST_HD static bool is_same(batch_name const& a, batch_name const& b) {
    return a.lane == b.lane && a.slot == b.slot;
  }

  BALLAST_HD void enter(fed_worker& me, batch_name const& batch) const {
    if (!is_same(batch, me.batch)) settle(me);
    me.batch = batch;
  }

  BALLAST_HD std::uint64_t place_of(batch_name const& batch) const {
    return (std::uint64_t(batch.lane) << source.batch_shift) + batch.slot;
  }

  /// The counter's new value; who brought it to zero has acquired what all others wrote.
  BALLAST_HD std::uint64_t add(batch_name const& batch, std::uint64_t change) const {
    device_atomic<std::uint64_t> const counter(counters[place_of(batch)]);
    std::uint64_t const now = counter.add_release(change) + change;
    if (now == 0) fence_after_relaxed<scope::device>();
    return now;
  }

#if !BALLAST_ON_GPU
  void doze(solo_crew const& crew, fed_worker const& me, std::uint64_t idle_ns) const {
    crew.pause(me.idle_looks);
    if (idle_ns > awake_for_ns)
      source.workers_bell->wait_past(me.bell_seen, clock::now() + std::chrono::milliseconds(10));
  }
#endif

  static constexpr std::uint32_t most_looks = 1u << 24;  // seconds
  static constexpr std::uint32_t looks_between_counts = 16;
  static constexpr std::uint32_t many_for_each = 64, several = 8;
  static constexpr std::uint32_t looks_at_once = 32, looks_between_steals = 8;
};

using fed_work = pool_work<chunks_ref, fed_view>;

}  // namespace ballast::inline queue
