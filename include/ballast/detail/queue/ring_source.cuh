// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The source of tasks that the host feeds. Each submitting thread has a submission ring (single producer,
/// single consumer) in pinned memory. One server, or on a GPU up to max_servers, moves tasks from these into
/// a ring in device memory, where workers claim tickets by fetch-and-add. Modelled on Chen et al. 2010
/// (tasks, HALT), with a sequence stamp per slot in place of their counts. ring_consumer.cuh and
/// ring_server.cuh hold the parts for GPU blocks only.
///
/// A slot's stamp and `released` decide which thread may write it. A ring slot is free for ticket t when its
/// released word equals t's lap number. The worker that begins the task (on the host: copies it out) raises
/// the word, so that a stop finds the tasks that were not begun.
struct ring_source_ref {
  using serving_state = ring_server_memory;

  resident_control control;

  // Pinned memory.
  task_slot* submission_slots = nullptr;  ///< submission rings x capacity
  host_words* from_host = nullptr;
  device_words* to_host = nullptr;
  stamped_chunk* completions =
      nullptr;  ///< submission rings x batch slots: stamp = lap when the batch is complete
  batch_times* times_out = nullptr;  ///< the same shape; null if tasks are not timed
  awaited_list* awaited = nullptr;   ///< submission rings x awaited_lists(shift)

  // In the memory that queue_options::ring names. Only this device's threads use it, hence device scope in
  // any memory. First the slots of other tasks, then those of urgent ones.
  task_slot* ring = nullptr;
  std::uint32_t* released = nullptr;

  // Device memory.
  ring_words* words = nullptr;
  std::uint32_t* counters = nullptr;  ///< submission rings x batch slots
  std::uint32_t* ends = nullptr;      ///< the same shape: how many batches have ended, so the last one's lap
  batch_times* times = nullptr;
  task_times* trace = nullptr;      ///< workers x trace_depth; null if tasks are not traced
  std::uint32_t* traced = nullptr;  ///< a count per worker, including tasks that did not fit
  host_server_state* host_serving = nullptr;

  std::uint32_t shift = 0;        ///< capacity = 2^shift, of a submission ring and of the ring
  std::uint32_t batch_shift = 0;  ///< 2^batch_shift batch slots per submission ring
  std::uint32_t trace_depth = 0;
  std::uint32_t urgent_ring = 0;     ///< the submission ring of urgent tasks
  std::uint32_t urgent_workers = 0;  ///< this number of workers, from the first on, take urgent tasks
  /// This number of them, or on the host of workers from the first on, run urgent tasks alone.
  std::uint32_t urgent_multiprocessors = 0;

  /// Nonzero when the workers leave by themselves. Used if claims_when_ready(): a pool's workers, which also
  /// have other tasks, claim a ticket only when its task is there.
  std::uint32_t* pool_halt_word = nullptr;

  // Host backend only: workers sleep on the first, submitters and waiters on the second.
  event_count* worker_wake_event = nullptr;
  event_count* host_wake_event = nullptr;

  BALLAST_HD std::uint64_t capacity() const { return std::uint64_t(1) << shift; }
  BALLAST_HD task_slot& ring_slot(std::uint64_t ticket) const { return ring[place_in_ring(ticket, shift)]; }
  BALLAST_HD task_slot& submission_slot(std::uint32_t ring_index, std::uint64_t ticket) const {
    return submission_slots[(std::uint64_t(ring_index) << shift) + (ticket & (capacity() - 1))];
  }
  BALLAST_HD atomic_ref<std::uint32_t, scope::device> released_word(std::uint64_t ticket) const {
    return atomic_ref<std::uint32_t, scope::device>(released[place_in_ring(ticket, shift)]);
  }
  BALLAST_HD bool ring_slot_is_free(std::uint64_t ticket) const {
    return poll(released_word(ticket)) == std::uint32_t(ticket >> shift);
  }
  /// True if the ticket's slot became free for it at some time. It still is, unless someone has reserved it.
  BALLAST_HD bool ring_slot_was_free(std::uint64_t ticket) const {
    return std::int32_t(poll(released_word(ticket)) - std::uint32_t(ticket >> shift)) >= 0;
  }
  /// The copy of the server's word that worker `block` reads.
  BALLAST_HD atomic_ref<std::uint64_t, scope::device> status_for(std::uint32_t block) const {
    return atomic_ref<std::uint64_t, scope::device>(words->status[block % status_replicas].word);
  }
  BALLAST_HD bool claims_when_ready() const { return pool_halt_word != nullptr; }
  BALLAST_HD bool takes_urgent(std::uint32_t block) const {
    return block < urgent_workers + std::uint32_t(BALLAST_ON_GPU);  // there block 0 serves
  }
  BALLAST_HD bool times_tasks() const { return times != nullptr || trace != nullptr; }

  template <class WorkerGroup>
  BALLAST_HD void finish(WorkerGroup& worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  template <class WorkerGroup>
  BALLAST_HD void count_blocks(WorkerGroup& worker_group) const;
  template <class WorkerGroup>
  BALLAST_HD void settle(WorkerGroup& worker_group) const;
  /// Adds credit to a batch whose tasks have run.
  BALLAST_HD void report(batch_mark const& mark, std::uint32_t credit) const;
  template <class WorkerGroup>
  BALLAST_HD void set_activity(WorkerGroup const& worker_group, std::uint64_t ticket, activity what) const {
    if (worker_group.leader())
      atomic_ref<std::uint64_t, scope::device>(control.activity_of(worker_group.block()))
          .store_relaxed(ticket << 2 | std::uint64_t(what));
  }

  /// The next `count` tickets.
  BALLAST_HD std::uint64_t claim(std::uint32_t count) const;
  /// The ticket of the first urgent task that is left; 0 if none is.
  BALLAST_HD std::uint64_t claim_urgent() const;
  /// Reads the ticket's task; false if it is not there yet.
  BALLAST_HD bool read_ring(std::uint64_t ticket, task_record& record, std::uint32_t (&marks)[4]) const;
  /// Frees the slot of a task that was read; from then on a stop does not hand the task back.
  BALLAST_HD void release(std::uint64_t ticket) const;
  BALLAST_HD void publish_completion(std::uint64_t batch, std::uint32_t lap) const;
  /// The i-th of the batches that a batch waits for, i < max_awaited_batches.
  BALLAST_HD awaited_batch awaited_by(batch_mark const& waiting, std::uint32_t i) const;
  /// The batch of a task with this mark.
  BALLAST_HD awaited_batch own_batch(batch_mark const& of) const {
    return {(of.ring_index << batch_shift) + of.slot, of.lap, 4};
  }
  /// True if it has ended, or is none. On a GPU acquire_after_relaxed() must follow.
  BALLAST_HD bool has_ended(awaited_batch const& batch) const;
  BALLAST_HD device_atomic<std::uint32_t> end_of(awaited_batch const& batch) const {
    return device_atomic<std::uint32_t>(ends[batch.index]);
  }
  /// Host: true if the batches that a task with these marks waits for have ended.
  bool may_begin(std::uint32_t const (&marks)[4]) const;
  /// Host: the worker's task, as " of blocks 12 to 15 of submission 7".
  std::string place_of_task(host_worker& worker_group) const;
  /// Host: the batch of a task that runs.
  std::string text_of_batch(std::uint32_t ring_index, std::uint32_t slot) const;
  /// Host: serves for one round, unless another worker serves; true if anything moved.
  bool serve_if_free(host_worker const& worker_group) const;

  bool next(host_worker& worker_group) const;
  /// Host: takes the first urgent task that is left, if the worker takes any.
  bool take_urgent(host_worker& worker_group) const;
  /// True if the task is a node that is prepared before the wait for its predecessors.
  template <class WorkerGroup>
  BALLAST_HD bool comes_early(WorkerGroup& worker_group) const {
    graph_walk const walk(worker_group);
    return walk.is_under_way() && walk.prepares();
  }
  /// Waits for the predecessors of a node whose prepare() has run.
  BALLAST_HD bool await_prepared(host_worker& worker_group) const;
#if defined(__CUDACC__)
  template <std::uint32_t Threads, std::uint32_t First>
  __device__ bool next(cuda_worker<Threads, First>& worker_group) const;
  template <std::uint32_t Threads, std::uint32_t First>
  __device__ bool await_prepared(cuda_worker<Threads, First>& worker_group) const;
  /// ClaimWhenReady must equal claims_when_ready().
  template <bool ClaimWhenReady = false, class WorkerGroup>
  __device__ void serve(WorkerGroup worker_group, ring_server_memory& memory) const;
  __device__ bool server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const;
#endif

 private:
  BALLAST_HD void publish_fenced_completion(std::uint64_t batch, std::uint32_t lap) const;
  BALLAST_HD void tell_end(std::uint64_t batch) const;
  void notify_host_if(std::uint32_t& waiters) const;
  void wake_feeder(std::uint64_t taken) const;
  bool should_leave() const;
  bool serve(host_worker const& worker_group) const;
  std::uint32_t move_from_ring(std::uint32_t ring_index) const;
  bool move_urgent(host_worker const& worker_group) const;
  void publish_fetched(std::uint32_t ring_index) const;
  bool move_slot(std::uint32_t ring_index, std::uint64_t to) const;
  bool end_workers(std::uint32_t workers) const;
  bool push_halts(std::uint32_t workers) const;
  bool all_fetched() const;
  bool all_wait(std::uint32_t workers) const;
  void give_up_if_idle(host_worker const& worker_group) const;
  bool take(host_worker& worker_group) const;
  bool take_urgent_alone(host_worker& worker_group) const;
  /// Calls `serves`, unless another worker serves; true if that moved tasks.
  bool serve_alone(bool (ring_source_ref::*serves)(host_worker const&) const,
                   host_worker const& worker_group) const;
  template <class Ready>
  bool await(host_worker& worker_group, Ready&& is_ready) const;
  bool take_node(host_worker& worker_group) const;
  bool await_node(host_worker& worker_group) const;

  template <class WorkerGroup>
  BALLAST_HD void record_times(WorkerGroup worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  template <class WorkerGroup>
  BALLAST_HD void trace_task(WorkerGroup& worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD std::uint32_t traced_batch_of(batch_mark const& mark) const;
  BALLAST_HD void time_task(std::uint64_t batch, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD void publish_times(std::uint64_t batch) const;
};

// For workers and servers of both backends.

#if !BALLAST_ON_GPU
/// Wakes the host's threads if any are counted in `waiters`. Adding 0 orders the caller's stores before this
/// check, which a load would not: either the waiter sees the stores, or this thread sees the waiter.
inline void ring_source_ref::notify_host_if(std::uint32_t& waiters) const {
  if (std::atomic_ref(waiters).fetch_add(0) != 0) notify(*host_wake_event);
}
#endif

template <class WorkerGroup>
BALLAST_HD void ring_source_ref::trace_task(WorkerGroup& worker_group, std::uint64_t begin_ns,
                                            std::uint64_t end_ns) const {
  auto const worker = worker_group.block();
  auto const at = traced[worker]++;  // the worker's own word
  if (at >= trace_depth) return;
  auto const& record = worker_group.record();
  auto const& state = worker_group.worker_state();
  auto const round = graph_walk(worker_group).is_under_way() ? state[worker_word::traced_round] : 0;
  auto const node = round != 0 ? state[worker_word::node] : traced_batch_of(mark_of(worker_group.meta()));
  trace[std::uint64_t(worker) * trace_depth + at] = {begin_ns,        end_ns, record.data[10],
                                                     record.data[11], round,  node};
}

// The batches that have ended in a slot number the one that is in it.
BALLAST_HD inline std::uint32_t ring_source_ref::traced_batch_of(batch_mark const& mark) const {
  device_atomic<std::uint32_t> const turns(ends[(mark.ring_index << batch_shift) + mark.slot]);
  return traced_batch::word(mark.ring_index, (turns.load_relaxed() << batch_shift) + mark.slot);
}

BALLAST_HD inline void ring_source_ref::time_task(std::uint64_t batch, std::uint64_t begin_ns,
                                                  std::uint64_t end_ns) const {
  using word = atomic_ref<std::uint64_t, scope::device>;
  word(times[batch].first_begin_ns).store_min(begin_ns);
  word(times[batch].last_end_ns).store_max(end_ns);
  word(times[batch].work_ns).add_relaxed(end_ns - begin_ns);
}

// Only the last worker of a batch calls this, after all others have reported.
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

// One 16-byte record per batch. The fence makes the batch's results visible to the host before the record; by
// cumulativity also those of the other workers, whose device-scope adds came before.
BALLAST_HD inline void ring_source_ref::publish_completion(std::uint64_t batch, std::uint32_t lap) const {
#if !BALLAST_ON_GPU
  device_atomic<std::uint32_t> const ended(ends[batch]);  // for text_of_batch() alone: none waits here
  ended.store_relaxed(ended.load_relaxed() + 1);
#endif
  fence_after_relaxed<scope::system>();
  publish_fenced_completion(batch, lap);
}

BALLAST_HD inline void ring_source_ref::publish_fenced_completion(std::uint64_t batch,
                                                                  std::uint32_t lap) const {
  store_chunk<scope::system>(completions[batch], {{0, 0, 0}, lap});
#if !BALLAST_ON_GPU
  if (host_wake_event != nullptr) notify_host_if(words->completion_waiters);
#endif
}

BALLAST_HD inline std::uint64_t ring_source_ref::claim(std::uint32_t count) const {
#if BALLAST_ON_GPU
  return device_atomic<std::uint64_t>(words->head).add_relaxed(count);
#else
  // Sequentially consistent, like setting the alarm: a feeder that sets the alarm and then counts the claims
  // cannot miss the claim that it waits for.
  auto const ticket = std::atomic_ref(words->head).fetch_add(count);
  wake_feeder(ticket + count + std::atomic_ref(words->urgent.head).load());
  return ticket;
#endif
}

#if !BALLAST_ON_GPU
inline void ring_source_ref::wake_feeder(std::uint64_t taken) const {
  if (taken >= std::atomic_ref(words->taken_threshold).load()) notify(*host_wake_event);
}
#endif

BALLAST_HD inline std::uint64_t ring_source_ref::claim_urgent() const {
  device_atomic<std::uint64_t> const head(words->urgent.head), tail(words->urgent.tail);
  for (;;) {
    auto const first = poll(head);
    if (first >= poll(tail)) return 0;
    if (!head.compare_exchange_acq_rel(first, first + 1)) continue;
#if !BALLAST_ON_GPU
    wake_feeder(std::atomic_ref<std::uint64_t>(words->head).fetch_add(0) + first + 1);
#endif
    return first_urgent_ticket + first;
  }
}

// The fence orders the reads of the slot before its release, and what the server has seen before the
// following accesses.
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
  notify(*worker_wake_event);                   // a sleeping worker may move a task there
#endif
}

BALLAST_HD inline awaited_batch ring_source_ref::awaited_by(batch_mark const& waiting,
                                                            std::uint32_t i) const {
  if (waiting.distance == by_list) {
    // Workers that read lists whole would wait for each other at PCIe.
    if (i > waiting.more && waiting.more != max_more_batches) return {};
    auto const lists = awaited_lists(shift);
    auto& word = awaited[waiting.ring_index * lists + (waiting.slot & (lists - 1))].batches[i];
    auto const one = atomic_ref<std::uint64_t, scope::system>(word).load_relaxed();
    return {std::uint32_t(one), std::uint32_t(one >> 32), one == 0 ? 0u : 32u};
  }
  if (waiting.distance == 0 || i > waiting.more) return {};
  auto const distance = waiting.distance + i;
  auto const slot = (waiting.slot - distance) & ((1u << batch_shift) - 1);
  return {(waiting.ring_index << batch_shift) + slot, waiting.lap - (waiting.slot < distance ? 1 : 0), 4};
}

// A batch slot is reused after its batch, so the word may have passed the lap: by one in the submission ring
// of the waiting batch, which keeps its own slot, and by any number elsewhere.
BALLAST_HD inline bool ring_source_ref::has_ended(awaited_batch const& batch) const {
  return batch.lap_bits == 0 || std::int32_t((poll(end_of(batch)) - batch.lap) << (32 - batch.lap_bits)) >= 0;
}

inline bool ring_source_ref::may_begin(std::uint32_t const (&marks)[4]) const {
  auto const mark = mark_of(marks);
  for (std::uint32_t i = 0; i < max_awaited_batches; ++i) {
    auto const batch = awaited_by(mark, i);
    if (batch.lap_bits == 0) break;
    if (!has_ended(batch)) return false;
  }
  return true;
}

// Publishes to waiting workers that the batch has ended. Call it after a fence; on the host the release
// serves as one.
BALLAST_HD inline void ring_source_ref::tell_end(std::uint64_t batch) const {
  device_atomic<std::uint32_t> const word(ends[batch]);
#if BALLAST_ON_GPU
  word.add_relaxed(1);
#else
  word.store_release(word.load_relaxed() + 1);  // batches of a slot end one after the other
  if (std::atomic_ref(words->held_workers).fetch_add(0) != 0) notify(*worker_wake_event);
#endif
}

// Adds with release only, since an acquire would empty the SM's L1 after every task; the last worker acquires
// with the fence. The credits of part of a batch never sum to zero, so several may be added at once; a sum of
// zero is a whole batch, which needs no counter. Workers that wait for the batch see its end before the host
// does, by a fence of their own. After a whole batch that fence would cost every task, so only a batch that
// itself waited has it: others probably wait for it in turn. The end of any other whole batch is seen after
// the fence that the host needs.
BALLAST_HD inline void ring_source_ref::report(batch_mark const& mark, std::uint32_t credit) const {
  auto const batch = (std::uint64_t(mark.ring_index) << batch_shift) + mark.slot;
  if (credit != 0 && device_atomic<std::uint32_t>(counters[batch]).add_release(credit) + credit != 0) return;
  bool const is_told_first = credit != 0 || mark.distance != 0;
  if (is_told_first) {
    fence_after_relaxed<scope::device>();
    tell_end(batch);
  }
  if (times != nullptr) publish_times(batch);
  fence_after_relaxed<scope::system>();
  if (!is_told_first) tell_end(batch);
  publish_fenced_completion(batch, mark.lap);
}

template <class WorkerGroup>
BALLAST_HD BALLAST_NOINLINE void ring_source_ref::record_times(WorkerGroup worker_group,
                                                               std::uint64_t begin_ns,
                                                               std::uint64_t end_ns) const {
  auto const mark = mark_of(worker_group.meta());
  if (trace != nullptr) trace_task(worker_group, begin_ns, end_ns);
  if (times != nullptr)
    time_task((std::uint64_t(mark.ring_index) << batch_shift) + mark.slot, begin_ns, end_ns);
}

/// Adds the credit of the blocks of a grid task that the worker's record names.
template <class WorkerGroup>
BALLAST_HD void ring_source_ref::count_blocks(WorkerGroup& worker_group) const {
  auto const ran = worker_group.record().range();
  bool const has_first = ran.first == worker_group.worker_state()[worker_word::first];
  worker_group.worker_state()[worker_word::credit] +=
      (has_first ? mark_of(worker_group.meta()).credit + 1 : 0) - ran.count;
}

/// Reports the task that has run. Tasks of one batch that were taken together are reported together after the
/// last of them: the batch cannot be complete before.
template <class WorkerGroup>
BALLAST_HD void ring_source_ref::settle(WorkerGroup& worker_group) const {
  auto const mark = mark_of(worker_group.meta());
  auto& unreported = worker_group.worker_state()[worker_word::credit];
  auto const credit = unreported + mark.credit;
  unreported = 0;
  if (worker_group.has_next() && is_same_batch(mark, mark_of(worker_group.next_meta())))
    unreported = credit;
  else
    report(mark, credit);
}

template <class WorkerGroup>
BALLAST_HD void ring_source_ref::finish(WorkerGroup& worker_group, std::uint64_t begin_ns,
                                        std::uint64_t end_ns) const {
  if (!worker_group.leader()) return;
  if (times_tasks()) record_times(worker_group, begin_ns, end_ns);
  auto const grid = worker_group.worker_state()[worker_word::grid];
  if (grid == 0)
    settle(worker_group);
  else if (grid != worker_word::walks)  // reported when no block is left
    count_blocks(worker_group);
}

// The worker and server of the host backend: the same slots, stamps, tickets and counters as on a GPU, with
// one thread in place of a block. A worker whose task has not arrived serves if no other does, and otherwise
// sleeps.

inline constexpr std::uint64_t spin_for_ns = 50'000;  ///< no sleep in the first 50 us of idleness
inline constexpr std::uint64_t long_absence_ns = 100'000'000;
inline constexpr std::uint32_t slots_per_round =
    64;  ///< tasks that a server moves before it looks for its own task

inline bool ring_source_ref::move_slot(std::uint32_t ring_index, std::uint64_t to) const {
  auto& state = *host_serving;
  auto const from = state.got[ring_index];
  if (!ring_slot_is_free(to)) return false;
  auto const expected = lap_of(from, shift), lap = lap_of(to, shift);
  stamped_chunk chunks[4];
  for (int i = 0; i < 4; ++i) {
    chunks[i] = load_chunk<scope::system>(submission_slot(ring_index, from).chunks[i], expected);
    if (!is_here(chunks[i], expected)) return false;
  }
  // Only whole tasks move into this ring slot; the next one may come from another submission ring.
  auto const block = state.blocks[ring_index]++;
  bool const spread = is_grid(chunks[3]);
  for (int i = 0; i < 4; ++i)
    store_chunk<scope::device>(ring_slot(to).chunks[i],
                               restamped(spread ? chunk_of_block(chunks[i], i, block) : chunks[i], lap));
  if (spread && state.blocks[ring_index] < blocks_of(chunks[3])) return true;
  ++state.got[ring_index];
  state.blocks[ring_index] = 0;
  return true;
}

inline std::uint32_t ring_source_ref::move_from_ring(std::uint32_t ring_index) const {
  std::uint32_t moved = 0;
  while (moved < slots_per_round && move_slot(ring_index, host_serving->tail + moved)) ++moved;
  if (moved == 0) return 0;
  host_serving->tail += moved;
  if (claims_when_ready()) atomic_ref<std::uint32_t, scope::device>(words->ready).add_relaxed(moved);
  publish_fetched(ring_index);
  return moved;
}

inline bool ring_source_ref::move_urgent(host_worker const& worker_group) const {
  auto& tail = words->urgent.tail;  // only the server writes it
  std::uint32_t moved = 0;
  while (moved < slots_per_round && move_slot(urgent_ring, first_urgent_ticket + tail + moved)) ++moved;
  if (moved == 0) return false;
  atomic_ref<std::uint64_t, scope::device>(tail).store_release(tail + moved);
  publish_fetched(urgent_ring);
  host_serving->last_task_ns = worker_group.now_ns();
  return true;
}

inline void ring_source_ref::publish_fetched(std::uint32_t ring_index) const {
  auto const& state = *host_serving;
  to_host->final_position[ring_index] = {state.got[ring_index],
                                         state.blocks[ring_index]};  // read after the run
  atomic_ref<std::uint64_t, scope::system>(to_host->filled).store_relaxed(state.tail + words->urgent.tail);
  atomic_ref<std::uint64_t, scope::system>(to_host->fetched[ring_index]).store_release(state.got[ring_index]);
}

inline bool ring_source_ref::all_fetched() const {
  auto const is_fetched = [this](std::uint32_t ring_index) {
    return host_serving->got[ring_index] ==
           atomic_ref<std::uint64_t, scope::system>(from_host->submitted[ring_index]).load_relaxed();
  };
  for (std::uint32_t ring_index = 0; ring_index < host_serving->ring_count; ++ring_index)
    if (!is_fetched(ring_index)) return false;
  return is_fetched(urgent_ring);
}

inline bool ring_source_ref::push_halts(std::uint32_t workers) const {
  auto& state = *host_serving;
  task_record halt{};
  halt.describe({0, 1}, task_record::halt);
  bool pushed = false;
  for (; state.halts < workers && ring_slot_is_free(state.tail); ++state.halts, ++state.tail, pushed = true)
    for (int i = 0; i < 4; ++i)
      store_chunk<scope::device>(ring_slot(state.tail).chunks[i],
                                 make_chunk(halt, batch_mark{}, i, lap_of(state.tail, shift)));
  return pushed;
}

/// Ends the workers; true if anything has changed. The workers of a claim-when-ready source end all at once:
/// the host requests that only when no work is left.
inline bool ring_source_ref::end_workers(std::uint32_t workers) const {
  if (!claims_when_ready()) {
    if (!should_leave())  // for workers without tickets
      status_for(0).store_release(server_status{.ended = true}.word());
    return push_halts(workers);
  }
  if (host_serving->halts != 0) return false;
  host_serving->halts = workers;
  status_for(0).store_release(server_status{.ended = true}.word());
  return true;
}

/// True if every worker waits. A worker may run an urgent task with a ticket in hand, or, if the source
/// claims when ready, a created one: so checks the workers twice, as a GPU's server does.
inline bool ring_source_ref::all_wait(std::uint32_t workers) const {
  auto const head = atomic_ref<std::uint64_t, scope::device>(words->head).load_relaxed();
  std::uint64_t first = 0, second = 0;
  return head == host_serving->tail + (claims_when_ready() ? 0 : workers - urgent_multiprocessors) &&
         control.none_running(0, workers, first) && control.none_running(0, workers, second) &&
         first == second;
}

inline void ring_source_ref::give_up_if_idle(host_worker const& worker_group) const {
  auto& state = *host_serving;
  auto const now = worker_group.now_ns();
  // If no worker served for long, all were busy: an idle worker looks again every 10 ms.
  bool const was_busy = now - state.last_served_ns > control.idle_timeout_ns / 2 + long_absence_ns;
  state.last_served_ns = now;
  if (was_busy || !all_wait(worker_group.blocks())) state.last_task_ns = now;
  if (now - state.last_task_ns < control.idle_timeout_ns) return;
  control.report_idle_timeout();
  status_for(0).store_release(server_status{.stop = true}.word());
}

/// One round of serving; true if anything moved. Only the holder of server_busy calls it.
inline bool ring_source_ref::serve(host_worker const& worker_group) const {
  auto& state = *host_serving;
  auto const said = atomic_ref<std::uint64_t, scope::system>(from_host->control).load_acquire();
  state.ring_count = rings_in(said);
  std::uint32_t moved = (said & urgent_bit) != 0 && move_urgent(worker_group) ? 1 : 0;
  for (std::uint32_t i = 0; i < state.ring_count; ++i)
    moved += move_from_ring((state.first_ring + i) % state.ring_count);
  ++state.first_ring;  // where the ring is full, every submission ring comes first at times
  if (moved > 0) state.last_task_ns = worker_group.now_ns();
  bool const halted = (said & closed_bit) != 0 && all_fetched() && end_workers(worker_group.blocks());
  if (moved == 0 && !halted) give_up_if_idle(worker_group);
  return moved > 0 || halted;
}

inline bool ring_source_ref::serve_alone(bool (ring_source_ref::*serves)(host_worker const&) const,
                                         host_worker const& worker_group) const {
  std::atomic_ref busy(words->server_busy);
  if (busy.load(std::memory_order_relaxed) != 0 || busy.exchange(1, std::memory_order_acquire) != 0)
    return false;
  bool const moved = (this->*serves)(worker_group);
  busy.store(0, std::memory_order_release);
  if (!moved) return false;
  notify(*worker_wake_event);
  notify_host_if(words->room_waiters);
  return true;
}

inline bool ring_source_ref::serve_if_free(host_worker const& worker_group) const {
  return serve_alone(&ring_source_ref::serve, worker_group);
}

inline bool ring_source_ref::should_leave() const {
  auto const word = status_for(0).load_acquire();
  return control.stop_requested() || server_status::of(word).stop;
}

/// While it lives, and from hold() on, counts its worker in ring_words::held_workers.
class held_worker {
 public:
  explicit held_worker(ring_source_ref const& source) : source_(&source) {}
  ~held_worker() {
    if (is_held_) std::atomic_ref(source_->words->held_workers).fetch_sub(1);
  }
  held_worker& operator=(held_worker&&) = delete;

  bool is_held() const { return is_held_; }
  /// Call it before the check for what is waited for: a worker that brings it about meanwhile sees the count,
  /// or this worker sees that it has come.
  void hold() {
    if (!std::exchange(is_held_, true)) std::atomic_ref(source_->words->held_workers).fetch_add(1);
  }

 private:
  ring_source_ref const* source_;
  bool is_held_ = false;
};

/// Looks for the ticket's task and checks whether it may begin.
class ticket_look {
 public:
  ticket_look(ring_source_ref const& source, std::uint64_t ticket)
      : source_(&source), ticket_(ticket), held_(source) {}

  bool operator()(host_worker& worker_group) {
    auto& marks = worker_group.meta();
    if (!held_.is_held() && !source_->read_ring(ticket_, worker_group.record(), marks)) return false;
    if (!waits_for_others(marks)) return true;
    held_.hold();
    return source_->may_begin(marks);
  }

 private:
  ring_source_ref const* source_;
  std::uint64_t ticket_;
  held_worker held_;
};

// What await() calls has a name, or one capture: nvcc and another compiler may order several captures unlike
// each other, and the linker keeps the code of one.

/// Looks for an urgent task, then for the ticket's.
class any_look {
 public:
  any_look(ring_source_ref const& source, std::uint64_t ticket)
      : source_(&source), of_ticket_(source, ticket) {}

  bool operator()(host_worker& worker_group) {
    has_urgent_ = source_->take_urgent(worker_group);
    return has_urgent_ || of_ticket_(worker_group);
  }
  bool has_urgent() const { return has_urgent_; }

 private:
  ring_source_ref const* source_;
  ticket_look of_ticket_;
  bool has_urgent_ = false;
};

/// Looks for an urgent task, or the end.
class urgent_look {
 public:
  explicit urgent_look(ring_source_ref const& source) : source_(&source) {}

  bool operator()(host_worker& worker_group) {
    bool const ended =
        server_status::of(source_->status_for(0).load_acquire()).ended;  // before the last look
    has_urgent_ = source_->take_urgent(worker_group);
    return has_urgent_ || ended;
  }
  bool has_urgent() const { return has_urgent_; }

 private:
  ring_source_ref const* source_;
  bool has_urgent_ = false;
};

/// Waits, serving if no other worker does; false: leave.
template <class Ready>
bool ring_source_ref::await(host_worker& worker_group, Ready&& is_ready) const {
  std::uint64_t idle_since = 0;
  for (std::uint32_t looks = 0;; ++looks) {
    auto const epoch = epoch_of(*worker_wake_event);
    if (should_leave()) return false;
    if (is_ready(worker_group)) return true;
    if (serve_if_free(worker_group)) {
      looks = 0;
      idle_since = 0;
      continue;
    }
    worker_group.back_off(looks);
    auto const now = worker_group.now_ns();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since > spin_for_ns) wait_past(*worker_wake_event, epoch, 10);
  }
}

// A task that waits for other batches begins only after they have ended, so that a stop before that hands the
// task back. All tasks of those batches have lower tickets: other workers have begun these tasks, or hold
// them and wait at most for still lower ones.
inline bool ring_source_ref::take(host_worker& worker_group) const {
  if (worker_group.block() < urgent_multiprocessors) return take_urgent_alone(worker_group);
  auto& state = worker_group.worker_state();
  bool const has_ticket = std::exchange(state[worker_word::claimed], 0) != 0;
  auto const ticket = has_ticket ? kept_ticket(state) : claim(1);
  set_activity(worker_group, ticket, activity::waits);
  any_look look(*this, ticket);
  bool const is_here = await(worker_group, look);
  bool const runs_urgent = look.has_urgent();
  bool const is_last = is_here && !runs_urgent && worker_group.record().kernel() == task_record::halt;
  if (runs_urgent || (is_last && take_urgent(worker_group))) {  // it may have looked too early
    state[worker_word::claimed] = 1;
    keep_ticket(state, ticket);
    return true;
  }
  if (is_here) release(ticket);
  set_activity(worker_group, ticket, is_here && !is_last ? activity::runs : activity::left);
  return is_here && !is_last;
}

inline bool ring_source_ref::take_urgent_alone(host_worker& worker_group) const {
  set_activity(worker_group, first_urgent_ticket, activity::waits);
  urgent_look look(*this);
  await(worker_group, look);
  bool const is_here = look.has_urgent();
  if (!is_here) set_activity(worker_group, first_urgent_ticket, activity::left);
  return is_here;
}

// The server has written what it counts in `tail`.
inline bool ring_source_ref::take_urgent(host_worker& worker_group) const {
  bool const is_kept = worker_group.block() < urgent_multiprocessors;
  if (!is_kept && !takes_urgent(worker_group.block())) return false;
  auto ticket = claim_urgent();
  bool const has_come = device_atomic<std::uint64_t>(words->urgent.submitted).load_acquire() !=
                        device_atomic<std::uint64_t>(words->urgent.tail).load_relaxed();
  // Workers do not serve while they find other tasks.
  if (ticket == 0 && has_come && serve_alone(&ring_source_ref::move_urgent, worker_group))
    ticket = claim_urgent();
  if (ticket == 0 || !read_ring(ticket, worker_group.record(), worker_group.meta())) return false;
  release(ticket);
  set_activity(worker_group, ticket, activity::runs);
  return true;
}

/// Counts for the successors of the node that ran, and waits until the next node may run or be prepared;
/// false: leave, or the walk is over.
inline bool ring_source_ref::take_node(host_worker& worker_group) const {
  graph_walk const walk(worker_group);
  if (should_leave()) {
    walk.leave(true);
    return false;
  }
  bool const counts = walk.has_successors(), goes_on = walk.advance();
  if (counts && std::atomic_ref(words->held_workers).fetch_add(0) != 0) notify(*worker_wake_event);
  return goes_on && (walk.prepares() || await_node(worker_group));
}

inline bool ring_source_ref::await_node(host_worker& worker_group) const {
  graph_walk const walk(worker_group);
  if (!walk.may_run()) {
    held_worker held(*this);
    held.hold();
    if (!await(worker_group, [&](host_worker&) { return walk.may_run(); })) {
      walk.leave(false);
      return false;
    }
  }
  walk.begin_timing();
  return true;
}

// Never called in device code, but compiled there where both kinds of worker share a template.
BALLAST_HD inline bool ring_source_ref::await_prepared([[maybe_unused]] host_worker& worker_group) const {
#if BALLAST_ON_GPU
  return false;
#else
  return await_node(worker_group);
#endif
}

// The batches that have ended in a slot number the one that is in it.
inline std::string ring_source_ref::text_of_batch(std::uint32_t ring_index, std::uint32_t slot) const {
  std::uint64_t const turns = poll(device_atomic<std::uint32_t>(ends[(ring_index << batch_shift) + slot]));
  return text_of_submission(ring_index, urgent_ring, (turns << batch_shift) + slot);
}

inline std::string ring_source_ref::place_of_task(host_worker& worker_group) const {
  auto const range = worker_group.record().range();
  std::string text = range.count == 1 ? " of " : " of " + text_of(range) + " of ";
  graph_walk const walk(worker_group);
  if (walk.is_under_way()) text += "task " + std::to_string(walk.number()) + " of the graph of ";
  auto const mark = mark_of(worker_group.meta());
  return text + text_of_batch(mark.ring_index, mark.slot);
}

inline bool ring_source_ref::next(host_worker& worker_group) const {
  graph_walk walk(worker_group);
  for (;;) {
    if (walk.is_under_way()) {
      walk.end_timing();
      if (take_node(worker_group)) return true;
      if (walk.is_under_way()) return false;
      settle(worker_group);
    }
    if (!take(worker_group)) return false;
    if (!worker_group.record().is_graph()) return true;
    walk.begin();
  }
}

#if defined(__CUDACC__)
// For the worker and the server of a GPU.

inline constexpr std::uint64_t gpu_spin_for_ns = 50'000;  ///< no sleep in the first 50 us of idleness

/// Sleeps longer the longer no task came; not at all in the first 50 us.
__device__ inline void back_off(std::uint64_t idle_ns) {
  if (idle_ns > gpu_spin_for_ns) __nanosleep(idle_ns > 20 * gpu_spin_for_ns ? 1000 : 200);
}
#endif

}  // namespace ballast::detail
