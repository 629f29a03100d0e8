// SPDX-License-Identifier: Apache-2.0
#include "producer_lane.hpp"

#include <algorithm>
#include <thread>

namespace ballast::inline queue {
namespace {

/// So many completion records are looked at in one go, at most: the device writes them, so that each of their
/// lines is a cache miss, and misses one after the other overlap.
constexpr std::uint64_t records_per_look = 128;

/// The record in a slot, if all four chunks carry the stamp.
std::optional<task_record> read_slot(task_slot const& slot, std::uint32_t lap) {
  task_record record;
  for (int i = 0; i < 4; ++i) {
    if (!is_here(slot.chunks[i], lap)) return std::nullopt;
    std::copy_n(slot.chunks[i].data, 3, record.data + 3 * i);
  }
  return record;
}

}  // namespace

// So few records that even the largest spread tasks stay below the limit need no count.
std::size_t records_of_a_batch(std::span<task_record const> records, std::size_t most) {
  records = records.first(std::min(most, records.size()));
  if (records.size() * std::uint64_t(most_blocks_per_task) < most_batch_tasks) return records.size();
  std::size_t count = 0;
  for (std::uint64_t tasks = 0; count < records.size(); ++count) {
    tasks += records[count].tasks();
    if (tasks > most_batch_tasks) break;
  }
  return count;
}

producer_lane::producer_lane(queue_memory& memory, std::uint32_t index)
    : memory_(&memory),
      slots_(memory.lane_slots.data() + (std::size_t(index) << memory.shift)),
      index_(index),
      shift_(memory.shift),
      batch_shift_(memory.batch_shift),
      batch_tasks_(std::size_t(1) << memory.batch_shift) {
  forget_all();
}

bool producer_lane::hold(deadline until) {
  for (int looks = 0; !try_hold(); ++looks) {
    if (looks < 60) continue;
    std::this_thread::yield();
    if (until.passed()) return false;
  }
  return true;
}

void producer_lane::forget_all() {
  submitted_.store(0, std::memory_order_relaxed);
  tasks_.store(0, std::memory_order_relaxed);
  next_batch_.store(0, std::memory_order_relaxed);
  slots_free_until_ = slots();
  batches_free_until_ = batch_slots();
}

std::uint64_t producer_lane::fetched() const {
  return atomic_ref<std::uint64_t, scope::system>(memory_->to_host[0].fetched[index_]).load_acquire();
}

// A batch slot is used again only after its batch was complete, so a batch that is a whole turn behind is
// complete.
bool producer_lane::complete(std::uint64_t batch) const {
  if (batch + batch_slots() < next_batch()) return true;
  return is_recorded_complete(batch);
}

bool producer_lane::look_for_room(std::size_t tasks) {
  if (submitted() + tasks > slots_free_until_) slots_free_until_ = fetched() + slots();
  if (next_batch() >= batches_free_until_) look_for_complete_batches();
  return room_is_known_for(tasks);
}

// A batch is free when the one a whole turn before it is complete. A batch that was never written is not.
void producer_lane::look_for_complete_batches() {
  auto batch = batches_free_until_;
  auto const end = batch + records_per_look;
  while (batch < end && is_recorded_complete(batch - batch_slots())) ++batch;
  batches_free_until_ = batch;
}

std::uint64_t producer_lane::unfinished_tasks() const {
  auto const end = next_batch();
  std::uint64_t tasks = 0;
  for (auto batch = end > batch_slots() ? end - batch_slots() : 0; batch < end; ++batch)
    if (!complete(batch)) tasks += batch_tasks_[batch & (batch_slots() - 1)].load(std::memory_order_relaxed);
  return tasks;
}

batch_times const& producer_lane::times_of(std::uint64_t batch) const {
  return memory_->times_out[entry_of(batch)];
}

task_slot const& producer_lane::slot(std::uint64_t position) const {
  return slots_[position & (slots() - 1)];
}

bool producer_lane::is_recorded_complete(task_slot const& slot) const {
  std::uint32_t words[4];
  for (int i = 0; i < 4; ++i) words[i] = slot.chunks[i].stamp >> 16;
  auto const mark = mark_of(words);
  auto& stamp = memory_->completions[entry_of(mark.slot)].stamp;
  return atomic_ref<std::uint32_t, scope::system>(stamp).load_acquire() == mark.lap;
}

std::optional<task_record> producer_lane::rest_of(std::uint64_t position) const {
  auto const& left = memory_->to_host[0].left_off[index_];
  if (position < left.next || is_recorded_complete(slot(position))) return std::nullopt;
  auto record = read_slot(slot(position), lap_of(position, memory_->shift));
  if (record && position == left.next && left.blocks > 0)
    record->data[10] += left.blocks, record->data[11] -= left.blocks << 8;
  return record;
}

std::optional<task_record> record_in_ring(task_slot const& slot, std::uint32_t released) {
  return read_slot(slot, (released + 1) & lap_mask);
}

std::optional<task_record> rest_of_share(shared_blocks const& share) {
  task_record record;
  for (int i = 0; i < 4; ++i) std::copy_n(share.whole.chunks[i].data, 3, record.data + 3 * i);
  auto const all = record.range();
  if (share.next >= all.count) return std::nullopt;
  record.describe({all.first + share.next, all.count - share.next}, record.kernel() | task_record::spread);
  return record;
}

}  // namespace ballast::inline queue
