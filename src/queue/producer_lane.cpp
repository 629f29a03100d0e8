// SPDX-License-Identifier: Apache-2.0
#include "producer_lane.hpp"

#include <algorithm>
#include <thread>

namespace ballast::inline queue {
namespace {

// The device reads slots and writes completions, so the next ones are seldom in this core's cache.
constexpr std::uint64_t slots_ahead = 8, batches_ahead = 32;

std::uint64_t tasks_of(std::span<task_record const> records) {
  std::uint64_t sum = 0;
  for (auto const& record : records) sum += record.tasks();
  return sum;
}

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
    : memory_(&memory), index_(index), batch_tasks_(std::size_t(1) << memory.batch_shift) {}

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
  fetched_seen_ = 0;
}

std::uint64_t producer_lane::fetched() const {
  return atomic_ref<std::uint64_t, scope::system>(memory_->to_host[0].fetched[index_]).load_acquire();
}

std::size_t producer_lane::entry_of(std::uint64_t batch) const {
  return (std::size_t(index_) << memory_->batch_shift) + std::size_t(batch & (batch_slots() - 1));
}

std::uint32_t producer_lane::lap_of_batch(std::uint64_t batch) const {
  return std::uint32_t((batch >> memory_->batch_shift) + 1) & 0xff;
}

// A batch slot is used again only after its batch was complete, so a batch that is a whole turn behind is
// complete.
bool producer_lane::complete(std::uint64_t batch) const {
  if (batch + batch_slots() < next_batch()) return true;
  auto& stamp = memory_->completions[entry_of(batch)].stamp;
  return atomic_ref<std::uint32_t, scope::system>(stamp).load_acquire() == lap_of_batch(batch);
}

bool producer_lane::has_room_for(std::size_t records) {
  std::uint64_t const slots = std::uint64_t(1) << memory_->shift;
  auto const position = submitted_.load(std::memory_order_relaxed);
  if (position + records - fetched_seen_ > slots) fetched_seen_ = fetched();
  if (position + records - fetched_seen_ > slots) return false;
  auto const batch = next_batch_.load(std::memory_order_relaxed);
  if (batch < batch_slots()) return true;
  __builtin_prefetch(&memory_->completions[entry_of(batch + batches_ahead)]);
  return complete(batch - batch_slots());
}

std::uint64_t producer_lane::write(std::span<task_record const> records) {
  auto const tasks = tasks_of(records);
  auto position = submitted_.load(std::memory_order_relaxed);
  auto const batch = next_batch_.load(std::memory_order_relaxed);
  batch_tasks_[batch & (batch_slots() - 1)].store(std::uint32_t(tasks), std::memory_order_relaxed);
  batch_mark mark{index_, std::uint32_t(batch & (batch_slots() - 1)), lap_of_batch(batch), std::uint32_t(-1)};
  // Counted before they can be seen, so that nobody ever sees more tasks taken than submitted.
  submitted_.store(position + records.size(), std::memory_order_release);
  tasks_.store(tasks_.load(std::memory_order_relaxed) + tasks, std::memory_order_release);
  next_batch_.store(batch + 1, std::memory_order_release);
  // In locals, since the compiler must take every slot that is written for a part of *this or *memory_.
  auto const shift = memory_->shift;
  auto* const slots = memory_->lane_slots.data() + (std::size_t(index_) << shift);
  std::uint64_t const mask = (std::uint64_t(1) << shift) - 1;
  for (auto const& record : records) {
    if (&record == &records.back()) mark.credit = std::uint32_t(tasks - 1);
    auto& slot = slots[position & mask];
    __builtin_prefetch(&slots[(position + slots_ahead) & mask], 1);
    auto const lap = lap_of(position++, shift);
    for (int i = 0; i < 4; ++i) store_chunk<scope::system>(slot.chunks[i], make_chunk(record, mark, i, lap));
  }
  return batch;
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
  std::uint64_t const slots = std::uint64_t(1) << memory_->shift;
  return memory_->lane_slots[(std::size_t(index_) << memory_->shift) + (position & (slots - 1))];
}

std::optional<task_record> producer_lane::rest_of(std::uint64_t position) const {
  auto const& left = memory_->to_host[0].left_off[index_];
  if (position < left.next) return std::nullopt;
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
