// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ballast/queue/slot.cuh"
#include "ballast/queue/task_queue.hpp"
#include "biased_lock.hpp"
#include "queue_memory.hpp"

namespace ballast::inline queue {

/// The credits of a batch's tasks sum to zero in 32 bits, and no part of them does.
inline constexpr std::uint64_t most_batch_tasks = std::uint64_t(1) << 31;

/// How many tasks the records stand for; as good as free where none is spread.
template <std::size_t Extent>
std::uint64_t tasks_of(std::span<task_record const, Extent> records) {
  std::uint32_t flags = 0;
  for (auto const& record : records) flags |= record.data[11];
  if ((flags & task_record::spread) == 0) return records.size();
  std::uint64_t sum = 0;
  for (auto const& record : records) sum += record.tasks();
  return sum;
}

/// How many of the records, from the first on, make a batch of at most `most` records.
std::size_t records_of_a_batch(std::span<task_record const> records, std::size_t most);

/// The task in a ring slot that was released so often, if nobody began it.
std::optional<task_record> record_in_ring(task_slot const& slot, std::uint32_t released);

/// Of a share, after a run, the blocks that no worker took, as a spread task; nothing if there are none.
std::optional<task_record> rest_of_share(shared_blocks const& share);

/// The host's side of one lane: who holds it is the lane's single producer. It writes slots, numbers batches
/// and knows which batches are complete. Lanes of several threads share no cache line.
class alignas(128) producer_lane {
 public:
  producer_lane(queue_memory& memory, std::uint32_t index);

  std::uint32_t index() const { return index_; }
  /// Takes the lane, giving the core away while another thread has it; false at the deadline.
  bool hold(deadline until);
  bool try_hold() { return lock_.try_take(); }
  void let_go() { lock_.let_go(); }

  // For the holder.
  bool has_room_for(std::size_t records) { return room_is_known_for(records) || look_for_room(records); }
  /// Writes a batch for which there is room; returns its number. At most most_batch_tasks tasks.
  template <std::size_t Extent>
  std::uint64_t write(std::span<task_record const, Extent> records);
  void forget_all();  ///< before a new run

  // For any thread.
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }  ///< slots
  std::uint64_t tasks() const { return tasks_.load(std::memory_order_acquire); }  ///< that they stand for
  std::uint64_t batch_slots() const { return std::uint64_t(1) << batch_shift_; }
  std::uint64_t next_batch() const { return next_batch_.load(std::memory_order_acquire); }
  std::uint64_t fetched() const;
  bool complete(std::uint64_t batch) const;
  std::uint64_t unfinished_tasks() const;  ///< tasks of incomplete batches
  batch_times const& times_of(std::uint64_t batch) const;
  task_slot const& slot(std::uint64_t position) const;
  /// What the server left of the slot at `position`, after a run: nothing, all, or the last blocks of a
  /// spread task. (Of a device that was lost the host knows only what it was told; a batch that was reported
  /// complete has left nothing.)
  std::optional<task_record> rest_of(std::uint64_t position) const;

 private:
  bool room_is_known_for(std::size_t tasks) const {
    return submitted_.load(std::memory_order_relaxed) + tasks <= slots_free_until_ &&
           next_batch_.load(std::memory_order_relaxed) < batches_free_until_;
  }
  bool look_for_room(std::size_t tasks);
  void look_for_complete_batches();
  bool is_recorded_complete(std::uint64_t batch) const {
    auto& stamp = memory_->completions[entry_of(batch)].stamp;
    return atomic_ref<std::uint32_t, scope::system>(stamp).load_acquire() == lap_of_batch(batch);
  }
  /// The batch that the slot's task was of, whatever else the host knows of the slot.
  bool is_recorded_complete(task_slot const& slot) const;
  std::size_t entry_of(std::uint64_t batch) const {
    return (std::size_t(index_) << batch_shift_) + std::size_t(batch & (batch_slots() - 1));
  }
  std::uint32_t lap_of_batch(std::uint64_t batch) const {
    return std::uint32_t((batch >> batch_shift_) + 1) & 0xff;
  }
  std::uint64_t slots() const { return std::uint64_t(1) << shift_; }

  queue_memory* memory_;
  task_slot* slots_;
  std::uint32_t index_, shift_, batch_shift_;
  std::atomic<std::uint64_t> submitted_ = 0, tasks_ = 0, next_batch_ = 0;
  std::uint64_t slots_free_until_, batches_free_until_;  ///< positions, and batches, below may be written
  std::vector<std::atomic<std::uint32_t>> batch_tasks_;
  biased_lock lock_;
};

template <std::size_t Extent>
inline std::uint64_t producer_lane::write(std::span<task_record const, Extent> records) {
  // The device reads slots, so the next ones are seldom in this core's cache.
  constexpr std::uint64_t slots_ahead = 8;
  std::uint64_t const tasks = tasks_of<Extent>(records);
  auto position = submitted_.load(std::memory_order_relaxed);
  auto const batch = next_batch_.load(std::memory_order_relaxed);
  batch_tasks_[batch & (batch_slots() - 1)].store(std::uint32_t(tasks), std::memory_order_relaxed);
  batch_mark mark{index_, std::uint32_t(batch & (batch_slots() - 1)), lap_of_batch(batch), std::uint32_t(-1)};
  // Counted before they can be seen, so that nobody ever sees more tasks taken than submitted.
  submitted_.store(position + records.size(), std::memory_order_release);
  tasks_.store(tasks_.load(std::memory_order_relaxed) + tasks, std::memory_order_release);
  next_batch_.store(batch + 1, std::memory_order_release);
  // In locals, since the compiler must take every slot that is written for a part of *this.
  auto const shift = shift_;
  auto* const slots = slots_;
  std::uint64_t const mask = (std::uint64_t(1) << shift) - 1;
  for (auto const& record : records) {
    if (&record == &records.back()) mark.credit = std::uint32_t(tasks - 1);
    auto& slot = slots[position & mask];
    __builtin_prefetch(&slots[(position + slots_ahead) & mask], 1);
    auto const lap = lap_of(position++, shift);
    // Written out: in a loop each chunk would find out which one it is.
    store_chunk<scope::system>(slot.chunks[0], make_chunk(record, mark, 0, lap));
    store_chunk<scope::system>(slot.chunks[1], make_chunk(record, mark, 1, lap));
    store_chunk<scope::system>(slot.chunks[2], make_chunk(record, mark, 2, lap));
    store_chunk<scope::system>(slot.chunks[3], make_chunk(record, mark, 3, lap));
  }
  return batch;
}

}  // namespace ballast::inline queue
