// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/queue/slot.cuh"

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
  bool ended = false;        ///< on a GPU, and where gated: no more will be filled
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
  std::uint64_t tail;            ///< tickets filled so far
  std::uint64_t last_news_ns;    ///< when a task last came
  std::uint64_t last_served_ns;  ///< when a worker last served and moved nothing
  std::uint64_t got[most_lanes];
  std::uint32_t blocks[most_lanes];  ///< of the spread task at got[], in the ring already
  std::uint32_t turn;
  std::uint32_t lanes;
  std::uint32_t halts;  ///< HALT records pushed
};
struct lane_server_memory;

}  // namespace ballast::inline queue
