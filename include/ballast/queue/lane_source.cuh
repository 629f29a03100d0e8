// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device/doorbell.hpp"
#include "ballast/queue/slot.cuh"
#include "ballast/resident/control.cuh"
#include "ballast/resident/crew.cuh"

namespace ballast::inline queue {

inline constexpr std::uint32_t most_lanes = 32;

/// Pinned words that the host writes. Polled over PCIe, so all that is polled is one word.
struct alignas(128) host_words {
  std::uint64_t control;                             ///< lanes in use | closed_bit
  alignas(128) std::uint64_t submitted[most_lanes];  ///< valid once closed: tasks of each lane, for ever
};
inline constexpr std::uint64_t closed_bit = std::uint64_t(1) << 32;

/// What was not moved of a lane: the slots from `next` on, and of the one at `next`, if it is a spread task,
/// the blocks from `blocks` on.
struct lane_rest {
  std::uint64_t next;
  std::uint32_t blocks;
};

/// Pinned words that the server writes.
struct alignas(128) device_words {
  std::uint64_t taken;                             ///< tasks that workers have claimed so far
  std::uint64_t filled;                            ///< tasks that the ring has got so far
  alignas(128) std::uint64_t fetched[most_lanes];  ///< slots of each lane that the host may write again
  lane_rest left_off[most_lanes];                  ///< written when the server leaves
};

/// GPU: the blocks of a spread task, for those workers that took one of its entries.
struct alignas(128) shared_blocks {
  std::uint32_t next;     ///< the first that no worker has taken; may grow beyond the count
  std::uint32_t entries;  ///< that are not used up; 0: the share is free for another task
  task_slot whole;        ///< the spread task
};
inline constexpr std::uint32_t most_shares = 8;

/// A word that many poll stands in several places, which lie in several slices of the L2.
inline constexpr std::uint32_t news_copies = 8;

template <class Word>
struct alignas(128) own_line {
  Word word;
};

/// Words in device memory that all blocks share.
struct alignas(128) ring_words {
  std::uint64_t head;                         ///< the next ticket to claim
  own_line<std::uint64_t> news[news_copies];  ///< from the server: server_news, as often
  shared_blocks shares[most_shares];
  alignas(128) std::uint32_t ready;        ///< if gated: tasks in the ring that nobody claimed; briefly fewer
  alignas(128) std::uint64_t served_ns;    ///< GPU: when the server last looked around, on the device's clock
  alignas(128) std::uint32_t server_busy;  ///< host backend: a worker is serving
  // Host backend: who sleeps on the host bell, and for what, so that nobody is woken for nothing.
  alignas(128) std::uint64_t take_alarm;  ///< ring when so many tasks are taken
  std::uint32_t room_waiters;             ///< ring when lane slots became free
  std::uint32_t completion_waiters;       ///< ring when a batch is complete
};

/// What the server tells all workers, in one word.
struct server_news {
  std::uint32_t filled = 0;  ///< GPU: low half of how many tickets have their task
  bool ended = false;        ///< GPU: no more will be filled
  bool stop = false;         ///< leave without a task

  BALLAST_HD constexpr std::uint64_t word() const {
    return std::uint64_t(stop) << 33 | std::uint64_t(ended) << 32 | filled;
  }
  BALLAST_HD static constexpr server_news of(std::uint64_t word) {
    return {std::uint32_t(word), (word >> 32 & 1) != 0, (word >> 33 & 1) != 0};
  }
};

/// What a worker remembers from task to task, by place in its crew's notes.
namespace note {
enum : int {
  credit,    ///< of tasks that have run and are not reported yet: the next one taken is of their batch
  claimed,   ///< tickets claimed whose tasks have not come yet; the first of them follows the present run
  many,      ///< whether very many unclaimed tasks waited when the server's news was read
  heard_ns,  ///< when that was; low half
  share,     ///< GPU: 1 + which shared_blocks the present task's are; 0: none
  blocks,    ///< how many these are; 0: no more are taken, since a stop was heard
  first,     ///< the first of the task
  end,       ///< of those that were taken here last, counted from the first; 0: none yet
  begun_ns,  ///< when those were taken; low half
};
}

/// When the tasks of a batch ran, on the device's clock.
struct batch_times {
  std::uint64_t first_begin_ns, last_end_ns, work_ns;
};

/// One task as a worker ran it.
struct task_times {
  std::uint64_t begin_ns, end_ns;
  std::uint32_t first_block, blocks_and_kernel;
};

/// What the server remembers between rounds on the host, where the worker that holds ring_words::server_busy
/// is the server. A GPU's: lane_server_memory.
struct lane_serving_state {
  std::uint64_t tail;          ///< tickets filled so far
  std::uint64_t last_news_ns;  ///< when a task last came
  std::uint64_t got[most_lanes];
  std::uint32_t blocks[most_lanes];  ///< of the spread task at got[], in the ring already
  std::uint32_t turn;
  std::uint32_t lanes;
  std::uint32_t halts;  ///< HALT records pushed
};
struct lane_server_memory;

/// The source of tasks that is fed by the host: a lane (single producer, single consumer) per submitting
/// thread in pinned memory, one server that moves tasks from the lanes into a ring in device memory, and
/// workers that claim tickets of the ring by fetch-and-add. After Chen et al. 2010 (tasks, HALT), with a
/// sequence stamp per slot in place of their counts. Its members are in lane_finish.cuh, lane_host.cuh,
/// on a GPU lane_worker.cuh and lane_server.cuh.
///
/// Who may write a slot is decided by its stamp and by `released`: a ring slot is free for ticket t when its
/// released word equals t's lap number; the worker that begins the task (on the host: copies it out) raises
/// it, so that a stop finds what nobody began.
struct lane_source_ref {
  using serving_state = lane_server_memory;

  resident_control control;

  // Pinned memory.
  task_slot* lane_slots = nullptr;  ///< most_lanes x capacity
  host_words* from_host = nullptr;
  device_words* to_host = nullptr;
  stamped_chunk* completions = nullptr;  ///< lanes x batch slots: stamp = lap when the batch is complete
  batch_times* times_out = nullptr;      ///< the same shape; null if tasks are not timed

  // Where queue_options::ring says; only this device's threads use it, hence device scope in any home.
  task_slot* ring = nullptr;
  std::uint32_t* released = nullptr;

  // Device memory.
  ring_words* words = nullptr;
  std::uint32_t* counters = nullptr;  ///< lanes x batch slots
  batch_times* times = nullptr;
  task_times* trace = nullptr;      ///< workers x trace_depth; null if tasks are not traced
  std::uint32_t* traced = nullptr;  ///< a count per worker, also of what no longer fitted
  lane_serving_state* host_serving = nullptr;

  std::uint32_t shift = 0;        ///< capacity = 2^shift, of a lane and of the ring
  std::uint32_t batch_shift = 0;  ///< 2^batch_shift batch slots a lane
  std::uint32_t trace_depth = 0;

  /// If gated: nonzero when the workers leave by themselves. Gated is a source whose workers claim a ticket
  /// only when its task is there, since they have other tasks too: those of a pool.
  std::uint32_t* pool_halt_word = nullptr;

  // Host backend only: what workers, and what submitters and waiters, sleep on.
  doorbell* workers_bell = nullptr;
  doorbell* host_bell = nullptr;

  BALLAST_HD std::uint64_t capacity() const { return std::uint64_t(1) << shift; }
  BALLAST_HD task_slot& ring_slot(std::uint64_t ticket) const { return ring[ticket & (capacity() - 1)]; }
  BALLAST_HD task_slot& lane_slot(std::uint32_t lane, std::uint64_t ticket) const {
    return lane_slots[(std::uint64_t(lane) << shift) + (ticket & (capacity() - 1))];
  }
  BALLAST_HD atomic_ref<std::uint32_t, scope::device> released_word(std::uint64_t ticket) const {
    return atomic_ref<std::uint32_t, scope::device>(released[ticket & (capacity() - 1)]);
  }
  BALLAST_HD bool ring_slot_is_free(std::uint64_t ticket) const {
    return poll(released_word(ticket)) == std::uint32_t(ticket >> shift);
  }
  /// The server's word where worker `block` looks for it.
  BALLAST_HD atomic_ref<std::uint64_t, scope::device> news_for(std::uint32_t block) const {
    return atomic_ref<std::uint64_t, scope::device>(words->news[block % news_copies].word);
  }
  BALLAST_HD bool is_gated() const { return pool_halt_word != nullptr; }
  BALLAST_HD bool times_tasks() const { return times != nullptr || trace != nullptr; }

  template <class Crew>
  BALLAST_HD void finish(Crew& crew, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  /// Adds to the credit of a batch whose tasks have run.
  BALLAST_HD void report(batch_mark const& mark, std::uint32_t credit) const;
  template <class Crew>
  BALLAST_HD void note_activity(Crew const& crew, std::uint64_t ticket, activity what) const {
    if (crew.leader())
      atomic_ref<std::uint64_t, scope::device>(control.activity[crew.block()])
          .store_relaxed(ticket << 2 | std::uint64_t(what));
  }

  /// Takes the ticket's task out of the ring, unless it is not there yet.
  BALLAST_HD bool read_ring(std::uint64_t ticket, task_record& record, std::uint32_t (&marks)[4]) const;
  BALLAST_HD void tell_host_complete(std::uint64_t batch, std::uint32_t lap) const;
  /// Host: the next ticket.
  std::uint64_t claim() const;
  /// Host: one round of serving, unless another worker serves; true if anything moved.
  bool serve_if_free(solo_crew const& crew) const;

  bool next(solo_crew& crew) const;
#if defined(__CUDACC__)
  template <std::uint32_t Threads>
  __device__ bool next(cuda_crew<Threads>& crew) const;
  template <std::uint32_t Threads>
  __device__ void serve(cuda_crew<Threads> crew, lane_server_memory& memory) const;
  __device__ bool server_is_late(std::uint64_t idle_ns, std::uint64_t now_ns) const;
#endif

 private:
  void ring_host_if(std::uint32_t& waiters) const;
  bool leaves() const;
  bool serve(solo_crew const& crew) const;
  std::uint32_t move_lane(std::uint32_t lane) const;
  bool move_slot(std::uint32_t lane) const;
  bool end_workers(std::uint32_t workers) const;
  bool push_halts(std::uint32_t workers) const;
  bool all_fetched() const;
  bool all_wait(std::uint32_t workers) const;
  void give_up_if_idle(solo_crew const& crew) const;

  template <class Crew>
  BALLAST_HD void keep_times(Crew crew, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD void trace_task(std::uint32_t worker, task_record const& record, std::uint64_t begin_ns,
                             std::uint64_t end_ns) const;
  BALLAST_HD void time_task(std::uint64_t batch, std::uint64_t begin_ns, std::uint64_t end_ns) const;
  BALLAST_HD void hand_out_times(std::uint64_t batch) const;
};

}  // namespace ballast::inline queue
