// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/detail/device/stamped_chunk.cuh"
#include "ballast/detail/resident/task_record.cuh"

namespace ballast::detail {

/// A task's share in the completion of its batch.
///
/// Completion needs no set-up on the device. Every task of a batch adds its `credit` to the batch's counter:
/// the last submitted of n tasks has credit n - 1, the others -1. The counter starts at zero, returns to zero
/// only when all tasks have finished, and is then ready for the next batch.
///
/// A batch may wait for earlier ones: for neighbours in its submission ring, which it names by their distance
/// in batches, or for those of an awaited_list (docs/decisions/0034).
struct batch_mark {
  std::uint32_t ring_index = 0;  ///< 5 bits: the submission ring of the batch
  std::uint32_t slot = 0;        ///< 16 bits: the batch slot within the submission ring
  std::uint32_t lap = 0;         ///< 4 bits: the lap of the slot
  std::uint32_t credit = 0;      ///< two's complement; 25 bits of it travel
  std::uint32_t distance = 0;    ///< 7 bits: the batch waits for the one submitted this many batches before
                                 ///< it; 0: it waits for none; by_list: for those of its awaited_list
  std::uint32_t more = 0;        ///< 4 bits: the batch also waits for this many batches before that one;
                                 ///< by_list: it waits for one more than this, or, if it is the most, for all
};
inline constexpr std::uint32_t batch_lap_mask = 0xf;
inline constexpr std::uint32_t max_batch_distance = 0x7e, max_more_batches = 0xf, by_list = 0x7f;
inline constexpr std::uint32_t credit_bits = 25;

/// What users read of a batch: submissions count from 1 in the ring of each thread, and in that of urgent
/// tasks.
inline std::string text_of_submission(std::uint32_t ring_index, std::uint32_t urgent_ring,
                                      std::uint64_t batch) {
  auto const number = "submission " + std::to_string(batch + 1);
  if (ring_index == urgent_ring) return "urgent " + number;
  return ring_index == 0 ? number : number + " of ring " + std::to_string(ring_index);
}

/// The number of a submission ring's batch slots that batch_mark::slot can name.
inline constexpr std::uint32_t max_batch_slots = 1u << 16;

/// A batch that another waits for.
struct awaited_batch {
  std::uint32_t index = 0;     ///< of its word in ring_source_ref::ends
  std::uint32_t lap = 0;       ///< what this word must reach
  std::uint32_t lap_bits = 0;  ///< low bits of the lap that are known; 0: there is no such batch
};
inline constexpr std::uint32_t max_awaited_batches = 32;  ///< each is polled by a lane of the worker's warp

/// The batches that one waits for if its marks cannot name them: laps in the high halves, never 0; zeros
/// after the last. Batch b of a submission ring has list b modulo awaited_lists(shift), in pinned memory.
struct alignas(128) awaited_list {
  std::uint64_t batches[max_awaited_batches];
};
BALLAST_HD constexpr std::uint32_t awaited_lists(std::uint32_t shift) {
  return shift > 7 ? (shift < 21 ? 1u << (shift - 5) : max_batch_slots) : 4;
}

BALLAST_HD constexpr bool is_same_batch(batch_mark const& a, batch_mark const& b) {
  return a.ring_index == b.ring_index && a.slot == b.slot;
}

/// 64 bytes: four chunks of 12 data bytes and a 4-byte stamp. The low half of each stamp is the lap, that is,
/// the turn of the ring to which the chunk belongs; the high halves hold the batch_mark.
struct alignas(64) task_slot {
  stamped_chunk chunks[4];
};
static_assert(sizeof(task_slot) == 64);

inline constexpr std::uint32_t lap_mask = 0xffff;

/// The stamp's lap for ring position `ticket` in a ring of 2^shift slots; never the initial value of a zeroed
/// slot.
BALLAST_HD constexpr std::uint32_t lap_of(std::uint64_t ticket, std::uint32_t shift) {
  return std::uint32_t((ticket >> shift) + 1) & lap_mask;
}

BALLAST_HD constexpr std::uint32_t mark_word(batch_mark const& mark, int chunk) {
  switch (chunk) {
    case 0:
      return mark.slot;
    case 1:
      return mark.credit & 0xffff;
    case 2:
      return mark.distance << 9 | (mark.credit >> 16 & 0x1ff);
    default:
      return mark.ring_index << 8 | mark.more << 4 | mark.lap;
  }
}

/// Undoes mark_word(): `words` are the high halves of the four stamps.
BALLAST_HD constexpr batch_mark mark_of(std::uint32_t const (&words)[4]) {
  auto const credit = std::int32_t((words[1] | words[2] << 16) << (32 - credit_bits)) >> (32 - credit_bits);
  return {words[3] >> 8 & 0x1f,  words[0],      words[3] & batch_lap_mask,
          std::uint32_t(credit), words[2] >> 9, words[3] >> 4 & 0xf};
}

/// True if a task with these words waits for other batches.
BALLAST_HD constexpr bool waits_for_others(std::uint32_t const (&words)[4]) { return words[2] >> 9 != 0; }

BALLAST_HD constexpr stamped_chunk make_chunk(task_record const& record, batch_mark const& mark, int chunk,
                                              std::uint32_t lap) {
  auto const* const data = record.data + 3 * chunk;
  return {{data[0], data[1], data[2]}, mark_word(mark, chunk) << 16 | lap};
}

/// The chunk, stamped for another ring.
BALLAST_HD constexpr stamped_chunk restamped(stamped_chunk chunk, std::uint32_t lap) {
  chunk.stamp = (chunk.stamp & ~lap_mask) | lap;
  return chunk;
}

BALLAST_HD constexpr bool is_here(stamped_chunk const& chunk, std::uint32_t lap) {
  return (chunk.stamp & lap_mask) == lap;
}

/// Urgent tasks have tickets of their own, from this one on, and ring slots of their own behind the others.
inline constexpr std::uint64_t first_urgent_ticket = std::uint64_t(1) << 61;
BALLAST_HD constexpr bool is_urgent(std::uint64_t ticket) { return (ticket & first_urgent_ticket) != 0; }
/// The place of a ticket's slot in the ring's memory.
BALLAST_HD constexpr std::uint64_t place_in_ring(std::uint64_t ticket, std::uint32_t shift) {
  return (ticket & ((std::uint64_t(1) << shift) - 1)) | std::uint64_t(is_urgent(ticket)) << shift;
}

/// True if a slot holds a grid task, by its last chunk.
BALLAST_HD constexpr bool is_grid(stamped_chunk const& last) {
  return (last.data[2] & task_record::grid_bit) != 0;
}
/// The number of blocks of the task in a slot, by its last chunk.
BALLAST_HD constexpr std::uint32_t blocks_of(stamped_chunk const& last) { return last.data[2] >> 8; }

/// Returns this chunk of the task for block `i` of a grid task (see task_record::task_of_block()). The task
/// for the first block has the credit of the grid task, the other tasks -1, as if they had been submitted one
/// after another.
BALLAST_HD constexpr stamped_chunk chunk_of_block(stamped_chunk chunk, int part, std::uint32_t i) {
  if (part == 3) {
    chunk.data[1] += i;
    chunk.data[2] = 1 << 8 | (chunk.data[2] & 0x7f);
  }
  if (part == 1 && i != 0) chunk.stamp |= 0xffff0000;
  if (part == 2 && i != 0) chunk.stamp |= 0x01ff0000;
  return chunk;
}

/// Marks the last chunk of a grid_ticket with the number of its shared grid, in three bits. On a GPU a grid
/// task lies in the ring as several such tickets, whose takers share the task's blocks.
BALLAST_HD constexpr stamped_chunk ticket_of_grid(stamped_chunk last, std::uint32_t grid) {
  last.stamp |= grid << 29;
  return last;
}
/// Undoes ticket_of_grid(): `words` are the high halves of the four stamps.
BALLAST_HD constexpr std::uint32_t shared_grid_of(std::uint32_t const (&words)[4]) { return words[3] >> 13; }

/// Those of threads, and one for the urgent tasks of all threads.
inline constexpr std::uint32_t max_submission_rings = 32;

/// Pinned words that the host writes. They are polled over PCIe, so all polled values share one word.
struct alignas(128) host_words {
  std::uint64_t control;  ///< rings of threads in use | urgent_bit | closed_bit | hand_out_until << 33
  alignas(128) std::uint64_t submitted[max_submission_rings];  ///< valid once closed: the tasks ever
                                                               ///< submitted to each submission ring
};
inline constexpr std::uint64_t urgent_bit = std::uint64_t(1) << 8;  ///< there were urgent tasks in this run
inline constexpr std::uint64_t closed_bit = std::uint64_t(1) << 32;
BALLAST_HD constexpr std::uint32_t rings_in(std::uint64_t control) { return std::uint32_t(control & 0xff); }
inline constexpr std::uint32_t hand_out_shift = 33;  ///< in host_words::control

/// True if more created tasks must be handed out: `handed_out` were so far, `until` are wanted in all; counts
/// of 31 bits.
BALLAST_HD constexpr bool is_to_hand_out(std::uint32_t handed_out, std::uint32_t until) {
  return std::int32_t((until - handed_out) << 1) > 0;
}

/// Up to 2^handed_out_shift created tasks wait for the host to take them.
inline constexpr std::uint32_t handed_out_shift = 10;

/// The part of a submission ring that was not moved: the slots from `next` on. If slot `next` has a grid
/// task, only its blocks from `blocks` on were not moved.
struct fetch_position {
  std::uint64_t next;
  std::uint32_t blocks;
};

/// Pinned words that the server writes.
struct alignas(128) device_words {
  std::uint64_t taken;   ///< tasks that workers have claimed so far
  std::uint64_t filled;  ///< tasks that have entered the ring so far
  std::uint64_t idle;    ///< workers without a task, if workers claim when ready
  alignas(128) std::uint64_t
      fetched[max_submission_rings];  ///< slots of each submission ring that the host may overwrite
  fetch_position final_position[max_submission_rings];  ///< written when the server leaves
};

/// GPU: the blocks of a grid task, for the workers that took one of its grid_tickets.
struct alignas(128) shared_grid {
  std::uint32_t next;          ///< the first block that no worker has taken; may exceed the count
  std::uint32_t grid_tickets;  ///< grid_tickets that are not used up; 0: free for another task
  task_slot whole;             ///< the grid task
};
inline constexpr std::uint32_t max_shared_grids = 8;

inline constexpr std::uint32_t max_servers = 4;  ///< of a GPU; each has some of the shared grids

/// The number of copies of a word that many workers poll; the copies lie in several slices of the L2.
inline constexpr std::uint32_t status_replicas = 8;

template <class Word>
struct alignas(128) own_line {
  Word word;
};

/// GPU: the state that several servers share. Each server has some of the submission rings; the tickets of
/// all servers are in one ring. Each server reserves a run of free tickets, then fills the whole run.
struct alignas(128) shared_server_words {
  std::uint64_t tail;               ///< tickets that servers have reserved
  std::uint64_t unticketed_blocks;  ///< ring_server_memory::unticketed_blocks of all servers together
  std::uint32_t left;               ///< servers other than the first that have filled their last ticket
  alignas(128) std::uint32_t said;  ///< from the first server to the others: passed_on()
  std::uint32_t resting;            ///< a bit for each server that polls no submission ring until tasks come
  /// Where the next task of a resting server's submission ring will be.
  std::uint64_t next[max_submission_rings];
};

/// The first server's word to the others: the number of submission rings in use, whether more tasks will
/// come, and whether to leave.
BALLAST_HD constexpr std::uint32_t passed_on(std::uint64_t control, bool stop) {
  return rings_in(control) | ((control & closed_bit) != 0 ? 1u << 8 : 0) | (stop ? 1u << 9 : 0);
}
/// Undoes passed_on(): host_words::control without the number of created tasks to hand out.
BALLAST_HD constexpr std::uint64_t control_in(std::uint32_t passed) {
  return (passed & 0xff) | ((passed >> 8 & 1) != 0 ? closed_bit : 0);
}
BALLAST_HD constexpr bool stop_in(std::uint32_t passed) { return (passed >> 9 & 1) != 0; }

/// Urgent tasks in the ring: a worker that finds any takes the first, and then has its ticket.
struct alignas(128) urgent_words {
  std::uint64_t head;       ///< those that workers took
  std::uint64_t tail;       ///< those that the server moved
  std::uint64_t submitted;  ///< host backend: those that are or were in their submission ring
};

/// Multiprocessors of a GPU whose workers run urgent tasks alone.
inline constexpr std::uint32_t max_urgent_multiprocessors = 32;

/// Words in device memory that all blocks share.
struct alignas(128) ring_words {
  std::uint64_t head;                               ///< the next ticket to claim
  own_line<std::uint64_t> status[status_replicas];  ///< from the server: copies of server_status
  shared_grid shared_grids[max_shared_grids];
  shared_server_words servers;
  urgent_words urgent;
  /// GPU: 1 + the number of each kept multiprocessor, in the order in which workers there asked.
  std::uint32_t kept_multiprocessors[max_urgent_multiprocessors];
  // If workers claim when ready:
  alignas(128) std::uint32_t ready;           ///< unclaimed tasks in the ring; briefly fewer
  alignas(128) std::uint32_t hand_out_until;  ///< created tasks that the host has asked for in all
  std::uint32_t handed_out;                   ///< created tasks that the host was given in all
  alignas(128) std::uint32_t idle;            ///< workers without a task
  alignas(128) std::uint64_t served_ns;       ///< GPU: the device's time at the server's last round
  alignas(128) std::uint32_t server_busy;     ///< host backend: a worker is serving
  // Host backend: the conditions of the sleeping threads, so that none is woken in vain.
  alignas(128) std::uint64_t taken_threshold;  ///< the number of taken tasks at which to wake the feeder
  std::uint32_t room_waiters;        ///< the number of threads to wake when submission slots become free
  std::uint32_t completion_waiters;  ///< the number of threads to wake when a batch is complete
  std::uint32_t held_workers;        ///< workers whose task waits for other batches
};

/// The server's report to all workers, in one word.
struct server_status {
  std::uint32_t filled = 0;  ///< GPU: low half of the number of tickets with a task or a reservation
  bool ended = false;        ///< on a GPU, and where workers claim when ready: no more will be filled
  bool stop = false;         ///< leave without a task
  bool urgent = false;       ///< GPU: urgent tasks were there that no worker had taken

  BALLAST_HD constexpr std::uint64_t word() const {
    return std::uint64_t(urgent) << 34 | std::uint64_t(stop) << 33 | std::uint64_t(ended) << 32 | filled;
  }
  BALLAST_HD static constexpr server_status of(std::uint64_t word) {
    return {std::uint32_t(word), (word >> 32 & 1) != 0, (word >> 33 & 1) != 0, (word >> 34 & 1) != 0};
  }
};

/// The state of a worker between tasks, by index in its worker group's worker_state().
namespace worker_word {
enum : int {
  credit,   ///< credit of tasks that have run and are not reported yet; the next task is of the same batch
  claimed,  ///< claimed tickets whose tasks have not come yet; the first follows the present run
  claim_several,   ///< whether very many tasks were unclaimed when the server's status was read
  status_read_ns,  ///< when the server's status was read; low half
  grid,            ///< 1 + the shared_grid of the present task (on a GPU), 0: none, or `walks`
  blocks,          ///< the number of the grid task's blocks; 0: take no more, since a stop was seen
  first,           ///< the first block of the task
  end,             ///< one past the last blocks taken here, counted from the first; 0: none yet
  begun_ns,        ///< when those blocks were taken, or a node of a graph begun; low half
  graph,           ///< the first words of a graph_round's record, if the worker is in one: its address,
  graph_nodes = graph + 2,
  graph_places,
  graph_round,
  node,        ///< the node that is taken
  node_needs,  ///< and the words of its graph_node that follow the task
  node_runs_on,
  node_successors,
  node_first_far,
  node_near,
  /// GPU: whether the worker runs urgent tasks alone (0 not known, 1 no, 2 yes), and 4 if it found none left.
  kept = node_near + 16,
  words,
  // In a graph:
  traced_round = first,   ///< graph_round::traced
  looked_at_clock = end,  ///< when the server's status was read, in cycles
  // With an urgent task, which is never in a graph:
  kept_ticket = node_near,  ///< the first claimed ticket, in two words
};
inline constexpr std::uint32_t walks = ~std::uint32_t(0);  ///< in `grid`: the worker walks through a graph
}

template <class WorkerState>
BALLAST_HD void keep_ticket(WorkerState& state, std::uint64_t ticket) {
  state[worker_word::kept_ticket] = std::uint32_t(ticket);
  state[worker_word::kept_ticket + 1] = std::uint32_t(ticket >> 32);
}
template <class WorkerState>
BALLAST_HD std::uint64_t kept_ticket(WorkerState const& state) {
  return state[worker_word::kept_ticket] | std::uint64_t(state[worker_word::kept_ticket + 1]) << 32;
}

/// The times of a batch's tasks, on the device's clock.
struct batch_times {
  std::uint64_t first_begin_ns, last_end_ns, work_ns;
};

/// The times of one task on a worker.
struct task_times {
  std::uint64_t begin_ns, end_ns;
  std::uint32_t first_block, blocks_and_kernel;
  /// Of a graph's task: graph_round::traced and its graph_node. Of another: 0 and its traced_batch.
  std::uint32_t round, node;
};

/// A batch in one word of a trace: its ring, and the low bits of its number.
namespace traced_batch {
inline constexpr std::uint32_t number_bits = 27;
inline constexpr std::uint32_t number_mask = (1u << number_bits) - 1;
static_assert(max_submission_rings <= 1u << (32 - number_bits));
BALLAST_HD constexpr std::uint32_t word(std::uint32_t ring_index, std::uint32_t number) {
  return ring_index << number_bits | (number & number_mask);
}
}

/// The server's state between rounds on the host, where the worker that holds ring_words::server_busy is the
/// server. A GPU has ring_server_memory instead.
struct host_server_state {
  std::uint64_t tail;            ///< tickets filled so far
  std::uint64_t last_task_ns;    ///< when a task last came
  std::uint64_t last_served_ns;  ///< when a worker last served and moved nothing
  std::uint64_t got[max_submission_rings];
  std::uint32_t blocks[max_submission_rings];  ///< blocks of the grid task at got[] that are in the ring
                                               ///< already
  std::uint32_t first_ring;
  std::uint32_t ring_count;
  std::uint32_t halts;  ///< HALT records pushed
};
struct ring_server_memory;

}  // namespace ballast::detail
