// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ballast/detail/queue/ring_source.cuh"

namespace ballast::detail {

#if !BALLAST_ON_GPU
/// Adding nothing orders the caller's stores before the look, as a load would not: either the waiter sees
/// what was stored, or it is seen waiting.
inline void ring_source_ref::notify_host_if(std::uint32_t& waiters) const {
  if (std::atomic_ref(waiters).fetch_add(0) != 0) host_wake_event->notify();
}
#endif

BALLAST_HD inline void ring_source_ref::trace_task(std::uint32_t worker, task_record const& record,
                                                   std::uint64_t begin_ns, std::uint64_t end_ns) const {
  auto const at = traced[worker]++;  // the worker's own word
  if (at < trace_depth)
    trace[std::uint64_t(worker) * trace_depth + at] = {begin_ns, end_ns, record.data[10], record.data[11]};
}

BALLAST_HD inline void ring_source_ref::time_task(std::uint64_t batch, std::uint64_t begin_ns,
                                                  std::uint64_t end_ns) const {
  using word = atomic_ref<std::uint64_t, scope::device>;
  word(times[batch].first_begin_ns).store_min(begin_ns);
  word(times[batch].last_end_ns).store_max(end_ns);
  word(times[batch].work_ns).add_relaxed(end_ns - begin_ns);
}

// Only the last worker of a batch comes here, after all others have reported.
BALLAST_HD BALLAST_NOINLINE inline void ring_source_ref::publish_times(std::uint64_t batch) const {
  using word = atomic_ref<std::uint64_t, scope::device>;
  batch_times const result{word(times[batch].first_begin_ns).load_relaxed(),
                           word(times[batch].last_end_ns).load_relaxed(),
                           word(times[batch].work_ns).load_relaxed()};
  times_out[batch] = result;
  word(times[batch].first_begin_ns).store_relaxed(~std::uint64_t(0));
  word(times[batch].last_end_ns).store_relaxed(0);
  word(times[batch].work_ns).store_relaxed(0);
}

// One 16-byte record per batch. The fence makes the batch's results visible to the host before it; the
// device-scope adds of the other workers come before it by cumulativity.
BALLAST_HD inline void ring_source_ref::publish_completion(std::uint64_t batch, std::uint32_t lap) const {
  fence_after_relaxed<scope::system>();
  store_chunk<scope::system>(completions[batch], {{0, 0, 0}, lap});
#if !BALLAST_ON_GPU
  if (host_wake_event != nullptr) notify_host_if(words->completion_waiters);
#endif
}

BALLAST_HD inline std::uint64_t ring_source_ref::claim(std::uint32_t count) const {
#if BALLAST_ON_GPU
  return device_atomic<std::uint64_t>(words->head).add_relaxed(count);
#else
  // Sequentially consistent like the alarm, so that a feeder that sets the alarm and then counts the claims
  // never sleeps through the one that it waits for.
  auto const ticket = std::atomic_ref(words->head).fetch_add(count);
  if (ticket + count >= std::atomic_ref(words->taken_threshold).load()) host_wake_event->notify();
  return ticket;
#endif
}

// The fence puts the reads of the slot before its release, and what the server knew before what follows.
BALLAST_HD inline bool ring_source_ref::read_ring(std::uint64_t ticket, task_record& record,
                                                  std::uint32_t (&marks)[4]) const {
  auto const& slot = ring_slot(ticket);
  auto const lap = lap_of(ticket, shift);
  stamped_chunk chunks[4];
  for (int i = 0; i < 4; ++i) chunks[i] = load_chunk<scope::device>(slot.chunks[i], lap);
  for (int i = 0; i < 4; ++i)
    if (!is_here(chunks[i], lap)) return false;
  fence_after_relaxed<scope::device>();
  for (int i = 0; i < 4; ++i) {
    for (int word = 0; word < 3; ++word) record.data[3 * i + word] = chunks[i].data[word];
    marks[i] = chunks[i].stamp >> 16;
  }
  return true;
}

BALLAST_HD inline void ring_source_ref::release(std::uint64_t ticket) const {
  auto const next_lap = std::uint32_t(ticket >> shift) + 1;
#if BALLAST_ON_GPU
  released_word(ticket).store_relaxed(next_lap);
#else
  released_word(ticket).store_release(next_lap);
  worker_wake_event->notify();  // somebody asleep may move a task there
#endif
}

// Adds release only, since an acquire would empty the SM's L1 after every task; the last one acquires with
// the fence. The credits of a part of a batch never sum to zero, so several may be added in one; zero is the
// whole batch, which needs no counter.
BALLAST_HD inline void ring_source_ref::report(batch_mark const& mark, std::uint32_t credit) const {
  auto const batch = (std::uint64_t(mark.ring_index) << batch_shift) + mark.slot;
  if (credit != 0) {
    atomic_ref<std::uint32_t, scope::device> const counter(counters[batch]);
    if (counter.add_release(credit) + credit != 0) return;
    fence_after_relaxed<scope::device>();
  }
  if (times != nullptr) publish_times(batch);
  publish_completion(batch, mark.lap);
}

template <class WorkerGroup>
BALLAST_HD BALLAST_NOINLINE void ring_source_ref::record_times(WorkerGroup worker_group,
                                                               std::uint64_t begin_ns,
                                                               std::uint64_t end_ns) const {
  auto const mark = mark_of(worker_group.meta());
  if (trace != nullptr) trace_task(worker_group.block(), worker_group.record(), begin_ns, end_ns);
  if (times != nullptr)
    time_task((std::uint64_t(mark.ring_index) << batch_shift) + mark.slot, begin_ns, end_ns);
}

// Tasks of one batch that were taken together are reported together after the last of them: the batch is not
// complete before.
template <class WorkerGroup>
BALLAST_HD void ring_source_ref::finish(WorkerGroup& worker_group, std::uint64_t begin_ns,
                                        std::uint64_t end_ns) const {
  if (!worker_group.leader()) return;
  if (times_tasks()) record_times(worker_group, begin_ns, end_ns);
  auto const mark = mark_of(worker_group.meta());
  auto& unreported = worker_group.worker_state()[worker_word::credit];
  if (worker_group.worker_state()[worker_word::grid] != 0) {  // reported when no block is left
    auto const ran = worker_group.record().range();
    bool const has_first = ran.first == worker_group.worker_state()[worker_word::first];
    unreported += (has_first ? mark.credit + 1 : 0) - ran.count;
    return;
  }
  auto const credit = unreported + mark.credit;
  unreported = 0;
  if (worker_group.has_next() && is_same_batch(mark, mark_of(worker_group.next_meta())))
    unreported = credit;
  else
    report(mark, credit);
}

}  // namespace ballast::detail
