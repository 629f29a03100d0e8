// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/pool_loop.cuh"
#include "ballast/detail/queue/ring_consumer.cuh"

namespace ballast::detail {

/// A batch by its place among the counters; trivially constructible, as shared memory requires.
struct alignas(16) batch_id {
  std::uint32_t ring_index, slot, lap;
};

/// The state of a worker if the host feeds tasks that create tasks. All tasks in its stack belong to one
/// batch.
struct hybrid_worker : pool_worker {
  batch_id batch;             ///< of the tasks in the stack, or of those that ran last
  std::uint32_t credit;       ///< credit of taken roots that is not in the batch's counter yet
  std::uint32_t roots;        ///< the number of roots whose credit this is
  std::uint32_t filled_seen;  ///< GPU: the number of arrived tasks when the last poll found none unclaimed
  std::uint32_t late;         ///< GPU: successive polls that found the server late
  std::uint64_t ticket;       ///< the first ticket that was claimed but not taken yet
  std::uint32_t claimed;      ///< the number of claimed tickets that were not taken yet
  std::uint64_t epoch_seen;   ///< host: epoch of worker_wake_event before the last poll
};

/// A pool whose first tasks come from the host while the workers run, through the submission rings, the
/// server and the ring of ring_source_ref. Created tasks stay in the pool, or are handed out to the host. A
/// worker claims tickets from a count that the server raises, so it has a ticket only when the ticket's task
/// is in the ring or being written there; until then the worker may steal.
///
/// A batch is complete when its tasks and all their descendants have run. Its counter holds two numbers: the
/// sum of the credits (see batch_mark) of taken tasks, times 2^32, and the number of taken or created tasks
/// that have not finished. A worker adds to it before it publishes tasks and before it takes tasks of another
/// batch. So the number is never below zero, and both are zero only at the end.
struct hybrid_view : pool_view {
  using worker_type = hybrid_worker;
  static constexpr std::uint32_t servers = 1;  ///< blocks of a GPU before the workers

  ring_source_ref source;
  std::uint64_t* counters = nullptr;  ///< submission rings x batch slots
  batch_id* origins = nullptr;        ///< of each chunk
  task_slot* handed_out = nullptr;    ///< pinned: 2^handed_out_shift created tasks for the host to take
  std::uint64_t may_leave[2] = {};    ///< a bit for each kernel: whether its created tasks may be handed out

  BALLAST_HD server_status status_for(hybrid_worker const& me) const {
    auto const block = BALLAST_ON_GPU ? me.number : 0;
    return server_status::of(poll(source.status_for(block)));
  }

  template <class WorkerGroup>
  BALLAST_HD bool stop_requested([[maybe_unused]] WorkerGroup const& worker_group,
                                 [[maybe_unused]] resident_control const& control) const {
#if BALLAST_ON_GPU
    return server_status::of(source.status_for(worker_group.block()).load_relaxed()).stop;  // not over PCIe
#else
    return control.stop_requested() || server_status::of(source.status_for(0).load_acquire()).stop;
#endif
  }

  /// Leader only, with an empty stack: takes tasks of one batch from the ring.
  BALLAST_HD bool take_waiting(hybrid_worker& me) const {
    if (me.claimed == 0) claim(me);
    while (me.claimed != 0 && take(me)) {}
    if (me.held() == 0) flush_counts(me);
    return me.held() != 0;
  }
  /// Does nothing: while the ring has tasks of the batch, a worker counts finished tasks together with the
  /// next ones. If it counted them one by one, each would cost an addition with release to a word that all
  /// workers share.
  BALLAST_HD void on_empty(hybrid_worker const&) const {}

  BALLAST_HD void on_publish(hybrid_worker const& me, std::uint32_t chunk) const {
    origin_of(chunk) = me.batch;
  }
  BALLAST_HD void on_take(hybrid_worker& me, std::uint32_t chunk) const {
    switch_batch(me, origin_of(chunk));
  }
  /// True if the worker may steal now. On a GPU, workers that wait for the host, perhaps for long, steal
  /// rarely, in order not to load the L2 that the other workers use.
  BALLAST_HD bool may_steal(hybrid_worker const& me) const {
    return !BALLAST_ON_GPU || me.idle_polls < eager_polls || me.idle_polls % polls_between_steals == 0;
  }
  BALLAST_HD void wake_others() const {
#if !BALLAST_ON_GPU
    notify(*source.worker_wake_event);
#endif
  }

  /// Leader only, now and then: if the host wants tasks, gives it the oldest task of the stack, provided that
  /// another task is left in the stack or was lately stored elsewhere. The task then no longer belongs to the
  /// batch. The host is responsible for it, and finds it before it sees the batch complete.
  template <class WorkerGroup>
  BALLAST_HD void hand_out(WorkerGroup const&, hybrid_worker& me) const {
    if (me.held() == 0 || (me.held() == 1 && me.stored_elsewhere == 0)) return;
    device_atomic<std::uint32_t> const count(source.words->handed_out);
    std::uint32_t const ticket = count.load_relaxed();
    if (!is_to_hand_out(ticket, device_atomic<std::uint32_t>(source.words->hand_out_until).load_relaxed()))
      return;
    task_record const oldest = stack_of(me.number)[me.begin].record;
    if ((may_leave[oldest.kernel() / 64] >> oldest.kernel() % 64 & 1) == 0) return;
    if (!count.compare_exchange_acq_rel(ticket, ticket + 1)) return;
    auto& slot = array_ref<task_slot>(handed_out)[ticket & ((1u << handed_out_shift) - 1)];
    batch_mark const mark{me.batch.ring_index, me.batch.slot, me.batch.lap, 0};
    for (int i = 0; i < 4; ++i)
      store_chunk<scope::system>(slot.chunks[i],
                                 make_chunk(oldest, mark, i, lap_of(ticket, handed_out_shift)));
    ++me.begin;
    ++me.counts.shared;
    --me.delta;
    me.stack_changed = 1;
#if !BALLAST_ON_GPU
    notify(*source.host_wake_event);
#endif
  }
  /// Host: the batch of the worker's task, as " of submission 7".
  std::string place_of_task(hybrid_worker const& me) const {
    return " of " + source.text_of_batch(me.batch.ring_index, me.batch.slot);
  }
  BALLAST_HD void note_idle(bool is_idle) const {
    device_atomic<std::uint32_t>(source.words->idle).add_relaxed(is_idle ? 1 : -1u);
  }

  BALLAST_HD void flush_counts(hybrid_worker& me) const {
    if (me.roots == 0 && me.delta == 0) return;
    auto const pending = std::uint64_t(std::int64_t(std::int32_t(me.delta)));
    std::uint64_t const change = (std::uint64_t(me.credit) << 32) + pending;
    me.roots = me.credit = me.delta = 0;
    if (change == 0 || add(me.batch, change) == 0)
      source.publish_completion(counter_index(me.batch), me.batch.lap);
  }

  template <class WorkerGroup>
  BALLAST_HD bool wait_for_work(WorkerGroup const& worker_group, resident_control const& control,
                                hybrid_worker& me) const {
    auto const status = status_for(me);
    if (is_halted() || status.stop || status.ended) return false;
    auto const idle_ns = worker_group.now_ns() - me.idle_since_ns;
#if BALLAST_ON_GPU
    back_off(idle_ns);
    me.late = source.server_is_late(idle_ns, worker_group.now_ns()) ? me.late + 1 : 0;
    return me.late <= max_late_polls;
#else
    if (control.stop_requested()) return false;
    if (!source.serve_if_free(worker_group)) sleep_idle(worker_group, me, idle_ns);
    me.epoch_seen = epoch_of(*source.worker_wake_event);
    return true;
#endif
  }

 private:
  BALLAST_HD batch_id& origin_of(std::uint32_t chunk) const { return array_ref<batch_id>(origins)[chunk]; }

  /// Claims tickets, if any are left. The count of unclaimed tickets is one word for all workers: a waiting
  /// worker of a GPU reads this word only when the server's status has changed, and now and then.
  BALLAST_HD void claim(hybrid_worker& me) const {
    std::uint32_t filled = ~me.filled_seen;  // not known
    if (BALLAST_ON_GPU && me.idle_polls % polls_between_counts != 0) {
      filled = status_for(me).filled;
      if (filled == me.filled_seen) return;
    }
    device_atomic<std::uint32_t> const ready(source.words->ready);
    std::uint32_t const seen = ready.load_relaxed();
    me.filled_seen = is_positive(seen) ? ~filled : filled;
    if (!is_positive(seen)) return;
    std::uint32_t const wished = tickets_to_claim(seen), left = ready.add_relaxed(0 - wished);
    std::uint32_t const given = !is_positive(left) ? 0 : left < wished ? left : wished;
    if (given != wished) ready.add_relaxed(wished - given);
    if (given != 0) me.ticket = source.claim(given);
    me.claimed = given;
  }

  BALLAST_HD static bool is_positive(std::uint32_t count) { return static_cast<std::int32_t>(count) > 0; }

  /// The number of tickets that a warp claims: an equal share of the unclaimed ones, from 1 to tasks_at_once,
  /// so that no worker holds back what another could begin.
  BALLAST_HD std::uint32_t tickets_to_claim(std::uint32_t unclaimed) const {
    std::uint32_t const each = unclaimed / workers;
    return each < 1 ? 1 : each < tasks_at_once ? each : tasks_at_once;
  }

  /// Takes the next claimed task, unless it belongs to another batch than the tasks in the stack. The server
  /// has written the task, or is writing it.
  BALLAST_HD bool take(hybrid_worker& me) const {
    task_record record;
    std::uint32_t marks[4];
    for (std::uint32_t looks = 0; !source.read_ring(me.ticket, record, marks); ++looks) {
      if (looks < max_polls) continue;
      halt_for(pool_halt::stalled);
      return false;
    }
    auto const mark = mark_of(marks);
    batch_id const batch{mark.ring_index, mark.slot, mark.lap};
    if (me.held() != 0 && !is_same(batch, me.batch)) return false;
    source.release(me.ticket++);
    --me.claimed;
    switch_batch(me, batch);
    me.credit += mark.credit;
    ++me.roots;
    ++me.delta;
    ++me.counts.created;
    stack_of(me.number)[me.end++].record = record;
    me.stack_changed = 1;
    me.update_max_stored();
    return true;
  }

  BALLAST_HD static bool is_same(batch_id const& a, batch_id const& b) {
    return a.ring_index == b.ring_index && a.slot == b.slot;
  }

  BALLAST_HD void switch_batch(hybrid_worker& me, batch_id const& batch) const {
    if (!is_same(batch, me.batch)) flush_counts(me);
    me.batch = batch;
  }

  BALLAST_HD std::uint64_t counter_index(batch_id const& batch) const {
    return (std::uint64_t(batch.ring_index) << source.batch_shift) + batch.slot;
  }

  /// Adds to the batch's counter, and returns the new value. A worker that brought the counter to zero has
  /// acquired all others' writes.
  BALLAST_HD std::uint64_t add(batch_id const& batch, std::uint64_t change) const {
    device_atomic<std::uint64_t> const counter(counters[counter_index(batch)]);
    std::uint64_t const now = counter.add_release(change) + change;
    if (now == 0) fence_after_relaxed<scope::device>();
    return now;
  }

#if !BALLAST_ON_GPU
  void sleep_idle(host_worker const& worker_group, hybrid_worker const& me, std::uint64_t idle_ns) const {
    worker_group.back_off(me.idle_polls);
    if (idle_ns > spin_for_ns) wait_past(*source.worker_wake_event, me.epoch_seen, 10);
  }
#endif

  static constexpr std::uint32_t max_polls = 1u << 24;  // seconds
  static constexpr std::uint32_t polls_between_counts = 16;
  static constexpr std::uint32_t eager_polls = 32, polls_between_steals = 8;
};

/// The work of a hybrid queue. Its server is the source's.
struct hybrid_work : pool_work<chunks_ref, hybrid_view> {
  using serving_state = ring_server_memory;
#if defined(__CUDACC__)
  template <class WorkerGroup>
  __device__ void serve(WorkerGroup worker_group, ring_server_memory& memory) const {
    view.source.template serve<true>(worker_group, memory);
  }
#endif
};

}  // namespace ballast::detail
