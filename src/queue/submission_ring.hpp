// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/task_queue.hpp"
#include "biased_lock.hpp"
#include "queue_memory.hpp"

namespace ballast::detail {

/// The credits of a batch's tasks sum to zero in the bits that travel, and no subset of them does.
inline constexpr std::uint64_t max_batch_tasks = std::uint64_t(1) << (credit_bits - 1);
static_assert(max_blocks_per_task < max_batch_tasks);

/// Numbers a batch of the queue: the index of its submission ring, and its number there.
struct batch_place {
  std::uint32_t ring;
  std::uint64_t batch;
  bool operator==(batch_place const&) const = default;
};

/// The earlier batches for which a batch waits: see batch_mark.
struct batch_dependency {
  std::uint32_t distance = 0, more = 0;
};

/// The number of tasks that the records represent; almost free if none is a grid task.
template <std::size_t Extent>
std::uint64_t tasks_of(std::span<task_record const, Extent> records) {
  std::uint32_t flags = 0;
  for (auto const& record : records) flags |= record.data[11];
  if ((flags & task_record::grid_bit) == 0) return records.size();
  std::uint64_t sum = 0;
  for (auto const& record : records) sum += record.tasks();
  return sum;
}

/// The number of records, from the first on, that make a batch of at most `max_count` records.
std::size_t records_of_a_batch(std::span<task_record const> records, std::size_t max_count);

/// The task in a ring slot that was released this many times, if no worker began it.
std::optional<task_record> record_in_ring(task_slot const& slot, std::uint32_t released);

/// After a run: the blocks of a shared grid that no worker took, as a grid task; nothing if there are none.
std::optional<task_record> remainder_of_grid(shared_grid const& grid);

/// The host's side of one submission ring; the thread that holds it is its single producer. It writes slots,
/// numbers batches and knows which batches are complete. Submission rings of several threads share no cache
/// line.
class alignas(128) submission_ring {
 public:
  submission_ring(queue_memory& memory, std::uint32_t index);

  std::uint32_t index() const { return index_; }
  /// Takes the submission ring, yielding the core while another thread has it; false at the deadline.
  bool lock(deadline until);
  bool try_lock() { return lock_.try_lock(); }
  void unlock() { lock_.unlock(); }

  // For the holder.
  bool has_room_for(std::size_t records) { return has_known_room_for(records) || refresh_room(records); }
  /// Writes a batch that fits; returns its number. At most max_batch_tasks tasks.
  template <std::size_t Extent>
  std::uint64_t write(std::span<task_record const, Extent> records, batch_dependency const& after = {});
  /// Returns the form in which the next batch names these batches, at most max_awaited_batches, none twice;
  /// if that is a list, writes it. Nothing while an earlier batch uses that list.
  std::optional<batch_dependency> name(std::span<batch_place const> awaited);
  /// Called at `now_ns` if a batch does not fit. Counts a stall if most of the ring's tasks wait although
  /// servers have fetched `fast_fetch` a microsecond from all rings since the last call.
  void note_stall(std::uint64_t now_ns);
  /// Workers seldom finish as many; one server of an H200 fetches twice as many (docs/decisions/0032).
  static constexpr std::uint64_t fast_fetch = 80;
  void reset();  ///< before a new run

  // For any thread.
  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }  ///< slots
  std::uint64_t tasks() const { return tasks_.load(std::memory_order_acquire); }  ///< tasks in these slots
  std::uint64_t batch_slots() const { return std::uint64_t(1) << batch_shift_; }
  std::uint64_t next_batch() const { return next_batch_.load(std::memory_order_acquire); }
  std::uint64_t fetched() const;
  std::uint64_t stalls() const { return stalls_; }  ///< of the last run, while no thread submits
  /// The number of the batch that the device named by `mark` before it had counted all tasks of this batch.
  std::uint64_t batch_of(batch_mark const& mark) const;
  bool complete(std::uint64_t batch) const;
  std::uint64_t unfinished_tasks() const;                  ///< tasks of incomplete batches
  std::optional<std::uint64_t> oldest_unfinished() const;  ///< the first incomplete batch
  batch_times const& times_of(std::uint64_t batch) const;
  task_slot const& slot(std::uint64_t position) const;
  /// After a run: the part of the slot at `position` that the server did not move: nothing, everything, or
  /// the last blocks of a grid task. (After a loss the host knows only what the device reported; a batch that
  /// was reported complete has nothing left.)
  std::optional<task_record> remainder_of(std::uint64_t position) const;

 private:
  bool has_known_room_for(std::size_t tasks) const {
    return submitted_.load(std::memory_order_relaxed) + tasks <= slots_free_until_ &&
           next_batch_.load(std::memory_order_relaxed) < batches_free_until_;
  }
  bool refresh_room(std::size_t tasks);
  void refresh_free_batches();
  std::optional<batch_dependency> name_neighbours(std::span<batch_place const> awaited) const;
  bool is_recorded_complete(std::uint64_t batch) const {
    auto& stamp = memory_->completions[batch_index(batch)].stamp;
    return atomic_ref<std::uint32_t, scope::system>(stamp).load_acquire() == lap_of_batch(batch);
  }
  /// True if the batch of the slot's task is recorded complete, whatever else the host knows of the slot.
  bool is_recorded_complete(task_slot const& slot) const;
  std::size_t batch_index(std::uint64_t batch) const {
    return (std::size_t(index_) << batch_shift_) + std::size_t(batch & (batch_slots() - 1));
  }
  std::uint32_t lap_of_batch(std::uint64_t batch) const {
    return std::uint32_t((batch >> batch_shift_) + 1) & batch_lap_mask;
  }
  std::uint64_t slots() const { return std::uint64_t(1) << shift_; }

  queue_memory* memory_;
  task_slot* slots_;
  std::uint32_t index_, shift_, batch_shift_;
  std::atomic<std::uint64_t> submitted_ = 0, tasks_ = 0, next_batch_ = 0;
  std::uint64_t slots_free_until_, batches_free_until_;  ///< positions, and batches, below these may be
                                                         ///< written
  std::vector<std::atomic<std::uint32_t>> batch_tasks_;
  std::vector<std::uint64_t> list_users_;  ///< 1 + the last batch with each awaited_list
  biased_lock lock_;
  std::uint64_t stalls_, noted_ns_, fetched_at_note_;
};

template <std::size_t Extent>
[[gnu::always_inline]] inline std::uint64_t submission_ring::write(
    std::span<task_record const, Extent> records, batch_dependency const& after) {
  // The device reads slots, so the next ones are seldom in this core's cache.
  constexpr std::uint64_t slots_ahead = 8;
  std::uint64_t const tasks = tasks_of<Extent>(records);
  auto position = submitted_.load(std::memory_order_relaxed);
  auto const batch = next_batch_.load(std::memory_order_relaxed);
  batch_tasks_[batch & (batch_slots() - 1)].store(std::uint32_t(tasks), std::memory_order_relaxed);
  if (after.distance == by_list) list_users_[batch & (list_users_.size() - 1)] = batch + 1;
  batch_mark mark{index_,
                  std::uint32_t(batch & (batch_slots() - 1)),
                  lap_of_batch(batch),
                  std::uint32_t(-1),
                  after.distance,
                  after.more};
  // Counted before they are visible, so that no thread ever sees more tasks taken than submitted.
  submitted_.store(position + records.size(), std::memory_order_release);
  next_batch_.store(batch + 1, std::memory_order_release);
  // Last, so that unfinished_tasks() has the batches of all these tasks.
  tasks_.store(tasks_.load(std::memory_order_relaxed) + tasks, std::memory_order_release);
  // In local variables, since the compiler must assume that every slot it writes is part of *this.
  auto const shift = shift_;
  auto* const slots = slots_;
  std::uint64_t const mask = (std::uint64_t(1) << shift) - 1;
  for (auto const& record : records) {
    if (&record == &records.back()) mark.credit = std::uint32_t(tasks - 1);
    auto& slot = slots[position & mask];
    __builtin_prefetch(&slots[(position + slots_ahead) & mask], 1);
    auto const lap = lap_of(position++, shift);
    // Written out: in a loop each chunk would have to determine which one it is.
    store_chunk<scope::system>(slot.chunks[0], make_chunk(record, mark, 0, lap));
    store_chunk<scope::system>(slot.chunks[1], make_chunk(record, mark, 1, lap));
    store_chunk<scope::system>(slot.chunks[2], make_chunk(record, mark, 2, lap));
    store_chunk<scope::system>(slot.chunks[3], make_chunk(record, mark, 3, lap));
  }
  return batch;
}

}  // namespace ballast::detail
