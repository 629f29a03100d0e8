// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// The source of tasks that is fed by the host: a submission ring (single producer, single consumer) per
/// submitting thread in pinned memory, one server that moves tasks from the submission rings into a ring in
/// device memory, and workers that claim tickets of the ring by fetch-and-add. After Chen et al. 2010 (tasks,
/// HALT), with a sequence stamp per slot in place of their counts. Its members are in ring_completion.cuh,
/// ring_host.cuh, on a GPU ring_consumer.cuh and ring_server.cuh.
///
/// Who may write a slot is decided by its stamp and by `released`: a ring slot is free for ticket t when its
/// released word equals t's lap number; the worker that begins the task (on the host: copies it out) raises
/// it, so that a stop finds what nobody began.
struct ring_source_ref {
  using serving_state = ring_server_memory;

  resident_control control;

  // Pinned memory.
  task_slot* submission_slots = nullptr;  ///< max_submission_rings x capacity
  host_words* from_host = nullptr;
  device_words* to_host = nullptr;
  stamped_chunk* completions =
      nullptr;  ///< submission rings x batch slots: stamp = lap when the batch is complete
  batch_times* times_out = nullptr;  ///< the same shape; null if tasks are not timed

  // Where queue_options::ring says; only this device's threads use it, hence device scope in any home.
  task_slot* ring = nullptr;
  std::uint32_t* released = nullptr;

  // Device memory.
  ring_words* words = nullptr;
  std::uint32_t* counters = nullptr;  ///< submission rings x batch slots
  batch_times* times = nullptr;
  task_times* trace = nullptr;      ///< workers x trace_depth; null if tasks are not traced
  std::uint32_t* traced = nullptr;  ///< a count per worker, also of what no longer fitted
  host_server_state* host_serving = nullptr;

  std::uint32_t shift = 0;        ///< capacity = 2^shift, of a submission ring and of the ring
  std::uint32_t batch_shift = 0;  ///< 2^batch_shift batch slots a submission ring
  std::uint32_t trace_depth = 0;

  /// If claims_when_ready(): nonzero when the workers leave by themselves. That is a source whose workers
  /// claim a ticket only when its task is there, since they have other tasks too: those of a pool.
  std::uint32_t* pool_halt_word = nullptr;

  // Host backend only: what workers, and what submitters and waiters, sleep on.
  event_count* worker_wake_event = nullptr;
  event_count* host_wake_event = nullptr;

  BALLAST_HD std::uint64_t capacity() const { return std::uint64_t(1) << shift; }
  BALLAST_HD task_slot& ring_slot(std::uint64_t ticket) const { return ring[ticket & (capacity() - 1)]; }
  BALLAST_HD task_slot& submission_slot(std::uint32_t ring_index, std::uint64_t ticket) const {
    return submission_slots[(std::uint64_t(ring_index) << shift) + (ticket & (capacity() - 1))];
  }
  BALLAST_HD atomic_ref<std::uint32_t, scope::device> released_word(std::uint64_t ticket) const {
    return atomic_ref<std::uint32_t, scope::device>(released[ticket & (capacity() - 1)]);
  }
  BALLAST_HD bool ring_slot_is_free(std::uint64_t ticket) const {
    return poll(released_word(ticket)) == std::uint32_t(ticket >> shift);
  }
  /// The server's word where worker `block` looks for it.
  BALLAST_HD atomic_ref<std::uint64_t, scope::device> status_for(std::uint32_t block) const {
    return atomic_ref<std::uint64_t, scope::device>(words->status[block % status_replicas].word);
  }
  BALLAST_HD bool claims_when_ready() const { return pool_halt_word != nullptr; }
  BALLAST_HD bool times_tasks() const { return times != nullptr || trace != nullptr; }

  template <class WorkerGroup>
  BALLAST_HD void finish(WorkerGroup& worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  /// Adds to the credit of a batch whose tasks have run.
  BALLAST_HD void report(batch_mark const& mark, std::uint32_t credit) const;
  template <class WorkerGroup>
  BALLAST_HD void set_activity(WorkerGroup const& worker_group, std::uint64_t ticket, activity what) const {
    if (worker_group.leader())
      atomic_ref<std::uint64_t, scope::device>(control.activity[worker_group.block()])
          .store_relaxed(ticket << 2 | std::uint64_t(what));
  }

  /// The next `count` tickets.
  BALLAST_HD std::uint64_t claim(std::uint32_t count) const;
  /// Reads the ticket's task, unless it is not there yet.
  BALLAST_HD bool read_ring(std::uint64_t ticket, task_record& record, std::uint32_t (&marks)[4]) const;
  /// Makes the slot of a task that was read free; from then on a stop does not hand it back.
  BALLAST_HD void release(std::uint64_t ticket) const;
  BALLAST_HD void publish_completion(std::uint64_t batch, std::uint32_t lap) const;
  /// Host: one round of serving, unless another worker serves; true if anything moved.
  bool serve_if_free(host_worker const& worker_group) const;

  bool next(host_worker& worker_group) const;
#if defined(__CUDACC__)
  template <std::uint32_t Threads>
  __device__ bool next(cuda_worker<Threads>& worker_group) const;
  /// ClaimWhenReady: claims_when_ready(), which the caller knows.
  template <bool ClaimWhenReady = false, std::uint32_t Threads>
  __device__ void serve(cuda_worker<Threads> worker_group, ring_server_memory& memory) const;
  __device__ bool server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const;
#endif

 private:
  void notify_host_if(std::uint32_t& waiters) const;
  bool should_leave() const;
  bool serve(host_worker const& worker_group) const;
  std::uint32_t move_from_ring(std::uint32_t ring_index) const;
  bool move_slot(std::uint32_t ring_index) const;
  bool end_workers(std::uint32_t workers) const;
  bool push_halts(std::uint32_t workers) const;
  bool all_fetched() const;
  bool all_wait(std::uint32_t workers) const;
  void give_up_if_idle(host_worker const& worker_group) const;

  template <class WorkerGroup>
  BALLAST_HD void record_times(WorkerGroup worker_group, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD void trace_task(std::uint32_t worker, task_record const& record, std::uint64_t begin_ns,
                             std::uint64_t end_ns) const;
  BALLAST_HD void time_task(std::uint64_t batch, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD void publish_times(std::uint64_t batch) const;
};

}  // namespace ballast::detail
