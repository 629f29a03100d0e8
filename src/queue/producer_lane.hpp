// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ballast/queue/slot.cuh"
#include "ballast/queue/task_queue.hpp"
#include "queue_memory.hpp"

namespace ballast::inline queue {

/// The credits of a batch's tasks sum to zero in 32 bits, and no part of them does.
inline constexpr std::uint64_t most_batch_tasks = std::uint64_t(1) << 31;

/// How many of the records, from the first on, make a batch of at most `most` records.
std::size_t records_of_a_batch(std::span<task_record const> records, std::size_t most);

/// The task in a ring slot that was released so often, if nobody began it.
std::optional<task_record> record_in_ring(task_slot const& slot, std::uint32_t released);

/// Of a share, after a run, the blocks that no worker took, as a spread task; nothing if there are none.
std::optional<task_record> rest_of_share(shared_blocks const& share);

/// The host's side of one lane: who holds it is the lane's single producer. It writes slots, numbers batches
/// and knows which batches are complete.
class producer_lane {
 public:
  producer_lane(queue_memory& memory, std::uint32_t index);

  std::uint32_t index() const { return index_; }
  /// Takes the lane, giving the core away while another thread has it; false at the deadline.
  bool hold(deadline until);
  bool try_hold() { return held_.exchange(1, std::memory_order_acquire) == 0; }
  void let_go() { held_.store(0, std::memory_order_release); }

  // For the holder.
  bool has_room_for(std::size_t records);
  /// Writes a batch for which there is room; returns its number. At most most_batch_tasks tasks.
  std::uint64_t write(std::span<task_record const> records);
  void forget_all();  ///< before a new run

  // For any thread.
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }  ///< slots
  std::uint64_t tasks() const { return tasks_.load(std::memory_order_acquire); }  ///< that they stand for
  std::uint64_t batch_slots() const { return std::uint64_t(1) << memory_->batch_shift; }
  std::uint64_t next_batch() const { return next_batch_.load(std::memory_order_acquire); }
  std::uint64_t fetched() const;
  bool complete(std::uint64_t batch) const;
  std::uint64_t unfinished_tasks() const;  ///< tasks of incomplete batches
  batch_times const& times_of(std::uint64_t batch) const;
  task_slot const& slot(std::uint64_t position) const;
  /// What the server left of the slot at `position`, after a run: nothing, all, or the last blocks of a
  /// spread task.
  std::optional<task_record> rest_of(std::uint64_t position) const;

 private:
  std::size_t entry_of(std::uint64_t batch) const;
  std::uint32_t lap_of_batch(std::uint64_t batch) const;

  queue_memory* memory_;
  std::uint32_t index_;
  std::atomic<std::uint32_t> held_ = 0;
  std::atomic<std::uint64_t> submitted_ = 0, tasks_ = 0, next_batch_ = 0;
  std::uint64_t fetched_seen_ = 0;
  std::vector<std::atomic<std::uint32_t>> batch_tasks_;
};

}  // namespace ballast::inline queue
