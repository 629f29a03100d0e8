// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/queue/slot.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t max_submission_rings = 32;

/// Pinned words that the host writes. Polled over PCIe, so all that is polled is one word.
struct alignas(128) host_words {
  std::uint64_t control;  ///< submission rings in use | closed_bit
  alignas(128) std::uint64_t
      submitted[max_submission_rings];  ///< valid once closed: tasks of each submission ring, for ever
};
inline constexpr std::uint64_t closed_bit = std::uint64_t(1) << 32;

/// What was not moved of a submission ring: the slots from `next` on, and of the one at `next`, if it is a
/// grid task, the blocks from `blocks` on.
struct fetch_position {
  std::uint64_t next;
  std::uint32_t blocks;
};

/// Pinned words that the server writes.
struct alignas(128) device_words {
  std::uint64_t taken;   ///< tasks that workers have claimed so far
  std::uint64_t filled;  ///< tasks that the ring has got so far
  alignas(128) std::uint64_t
      fetched[max_submission_rings];  ///< slots of each submission ring that the host may write again
  fetch_position final_position[max_submission_rings];  ///< written when the server leaves
};

/// GPU: the blocks of a grid task, for those workers that took one of its grid_tickets.
struct alignas(128) shared_grid {
  std::uint32_t next;          ///< the first that no worker has taken; may grow beyond the count
  std::uint32_t grid_tickets;  ///< that are not used up; 0: the grid is free for another task
  task_slot whole;             ///< the grid task
};
inline constexpr std::uint32_t max_shared_grids = 8;

/// A word that many poll stands in several places, which lie in several slices of the L2.
inline constexpr std::uint32_t status_replicas = 8;

template <class Word>
struct alignas(128) own_line {
  Word word;
};

/// Words in device memory that all blocks share.
struct alignas(128) ring_words {
  std::uint64_t head;                               ///< the next ticket to claim
  own_line<std::uint64_t> status[status_replicas];  ///< from the server: server_status, as often
  shared_grid shared_grids[max_shared_grids];
  alignas(128) std::uint32_t
      ready;  ///< if workers claim when ready: tasks in the ring that nobody claimed; briefly fewer
  alignas(128) std::uint64_t served_ns;    ///< GPU: when the server last looked around, on the device's clock
  alignas(128) std::uint32_t server_busy;  ///< host backend: a worker is serving
  // Host backend: who sleeps on the host bell, and for what, so that nobody is woken for nothing.
  alignas(128) std::uint64_t taken_threshold;  ///< ring when so many tasks are taken
  std::uint32_t room_waiters;                  ///< ring when submission slots became free
  std::uint32_t completion_waiters;            ///< ring when a batch is complete
};

/// What the server tells all workers, in one word.
struct server_status {
  std::uint32_t filled = 0;  ///< GPU: low half of how many tickets have their task
  bool ended = false;        ///< on a GPU, and where workers claim when ready: no more will be filled
  bool stop = false;         ///< leave without a task

  BALLAST_HD constexpr std::uint64_t word() const {
    return std::uint64_t(stop) << 33 | std::uint64_t(ended) << 32 | filled;
  }
  BALLAST_HD static constexpr server_status of(std::uint64_t word) {
    return {std::uint32_t(word), (word >> 32 & 1) != 0, (word >> 33 & 1) != 0};
  }
};

/// What a worker remembers from task to task, by index in its worker group's worker_state().
namespace worker_word {
enum : int {
  credit,   ///< of tasks that have run and are not reported yet: the next one taken is of their batch
  claimed,  ///< tickets claimed whose tasks have not come yet; the first of them follows the present run
  claim_several,   ///< whether very many unclaimed tasks waited when the server's status was read
  status_read_ns,  ///< when that was; low half
  grid,            ///< GPU: 1 + which shared_grid the present task's are; 0: none
  blocks,          ///< how many these are; 0: no more are taken, since a stop was heard
  first,           ///< the first of the task
  end,             ///< of those that were taken here last, counted from the first; 0: none yet
  begun_ns,        ///< when those were taken; low half
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
/// is the server. A GPU's: ring_server_memory.
struct host_server_state {
  std::uint64_t tail;            ///< tickets filled so far
  std::uint64_t last_task_ns;    ///< when a task last came
  std::uint64_t last_served_ns;  ///< when a worker last served and moved nothing
  std::uint64_t got[max_submission_rings];
  std::uint32_t blocks[max_submission_rings];  ///< of the grid task at got[], in the ring already
  std::uint32_t first_ring;
  std::uint32_t ring_count;
  std::uint32_t halts;  ///< HALT records pushed
};
struct ring_server_memory;

}  // namespace ballast::detail
