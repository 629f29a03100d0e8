// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/device/stamped_chunk.cuh"
#include "ballast/detail/resident/task_record.cuh"

namespace ballast::detail {

/// What a worker must know of a task's batch to report it complete.
///
/// Completion needs no set-up on the device: every task of a batch adds its `credit` to the batch's counter,
/// the last one of n submitted with credit n - 1, the others with -1. The counter starts at zero, returns to
/// zero when all have finished and at no time before, and is then ready for the next batch.
struct batch_mark {
  std::uint32_t ring_index = 0;  ///< 5 bits: whose batch
  std::uint32_t slot = 0;        ///< 16 bits: which of the submission ring's batch slots
  std::uint32_t lap = 0;         ///< 8 bits: how often the slot was used
  std::uint32_t credit = 0;      ///< two's complement
};

/// Of a submission ring: what batch_mark::slot can name.
inline constexpr std::uint32_t max_batch_slots = 1u << 16;

BALLAST_HD constexpr bool is_same_batch(batch_mark const& a, batch_mark const& b) {
  return a.ring_index == b.ring_index && a.slot == b.slot;
}

/// 64 bytes: four chunks of 12 data bytes and a 4-byte stamp. The low half of each stamp is the lap, which
/// says whose turn of the ring the chunk belongs to; the high halves hold the batch_mark.
struct alignas(64) task_slot {
  stamped_chunk chunks[4];
};
static_assert(sizeof(task_slot) == 64);

inline constexpr std::uint32_t lap_mask = 0xffff;

/// The stamp's lap for ring position `ticket` in a ring of 2^shift slots; never what a zeroed slot holds at
/// first.
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
      return mark.credit >> 16;
    default:
      return mark.ring_index << 8 | mark.lap;
  }
}

/// Undoes mark_word(): `words` are the high halves of the four stamps.
BALLAST_HD constexpr batch_mark mark_of(std::uint32_t const (&words)[4]) {
  return {words[3] >> 8 & 0x1f, words[0], words[3] & 0xff, words[1] | words[2] << 16};
}

BALLAST_HD constexpr stamped_chunk make_chunk(task_record const& record, batch_mark const& mark, int chunk,
                                              std::uint32_t lap) {
  auto const* const data = record.data + 3 * chunk;
  return {{data[0], data[1], data[2]}, mark_word(mark, chunk) << 16 | lap};
}

/// The same chunk, stamped for another ring.
BALLAST_HD constexpr stamped_chunk restamped(stamped_chunk chunk, std::uint32_t lap) {
  chunk.stamp = (chunk.stamp & ~lap_mask) | lap;
  return chunk;
}

BALLAST_HD constexpr bool is_here(stamped_chunk const& chunk, std::uint32_t lap) {
  return (chunk.stamp & lap_mask) == lap;
}

// Of the last chunk of a slot.
BALLAST_HD constexpr bool is_grid(stamped_chunk const& last) {
  return (last.data[2] & task_record::grid_bit) != 0;
}
BALLAST_HD constexpr std::uint32_t blocks_of(stamped_chunk const& last) { return last.data[2] >> 8; }

/// This chunk of the task that is block `i` of a grid task: task_record::task_of_block(), and the first
/// block has the credit of the whole, the others -1, as if they had been submitted one after another.
BALLAST_HD constexpr stamped_chunk chunk_of_block(stamped_chunk chunk, int part, std::uint32_t i) {
  if (part == 3) {
    chunk.data[1] += i;
    chunk.data[2] = 1 << 8 | (chunk.data[2] & 0x7f);
  }
  if ((part == 1 || part == 2) && i != 0) chunk.stamp |= 0xffff0000;
  return chunk;
}

/// On a GPU a grid task lies in the ring as several tickets, whose takers share its blocks: this says which
/// of the shared grids they are of. For the last chunk; three bits.
BALLAST_HD constexpr stamped_chunk ticket_of_grid(stamped_chunk last, std::uint32_t grid) {
  last.stamp |= grid << 29;
  return last;
}
BALLAST_HD constexpr std::uint32_t shared_grid_of(std::uint32_t const (&words)[4]) { return words[3] >> 13; }

}  // namespace ballast::detail
