// SPDX-License-Identifier: Apache-2.0
#include "submission_ring.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace ballast::detail {
namespace {

/// The most completion records that are read at once: the device writes them, so each of their lines is a
/// cache miss, and successive misses overlap.
constexpr std::uint64_t records_per_poll = 128;

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

std::size_t records_of_a_batch(std::span<task_record const> records, std::size_t max_count) {
  records = records.first(std::min({max_count, records.size(), std::size_t(max_batch_tasks)}));
  if (tasks_of(records) <= max_batch_tasks) return records.size();
  std::size_t count = 0;
  for (std::uint64_t tasks = 0; count < records.size(); ++count) {
    tasks += records[count].tasks();
    if (tasks > max_batch_tasks) break;
  }
  return count;
}

submission_ring::submission_ring(queue_memory& memory, std::uint32_t index)
    : memory_(&memory),
      slots_(memory.submission_slots.data() + (std::size_t(index) << memory.shift)),
      index_(index),
      shift_(memory.shift),
      batch_shift_(memory.batch_shift),
      batch_tasks_(std::size_t(1) << memory.batch_shift),
      list_users_(awaited_lists(memory.shift)) {
  reset();
}

// The batch is the last of its slot, or the one before.
std::uint64_t submission_ring::batch_of(batch_mark const& mark) const {
  auto const last = next_batch() - 1;
  auto const batch = last - ((last - mark.slot) & (batch_slots() - 1));
  return lap_of_batch(batch) == mark.lap ? batch : batch - batch_slots();
}

bool submission_ring::lock(deadline until) {
  for (int looks = 0; looks < 60; ++looks)
    if (try_lock()) return true;
  for (wait_limit limit(until); !try_lock(); std::this_thread::yield())
    if (limit.passed()) return false;
  return true;
}

void submission_ring::reset() {
  submitted_.store(0, std::memory_order_relaxed);
  tasks_.store(0, std::memory_order_relaxed);
  next_batch_.store(0, std::memory_order_relaxed);
  slots_free_until_ = slots();
  batches_free_until_ = batch_slots();
  stalls_ = noted_ns_ = fetched_at_note_ = 0;
  std::ranges::fill(list_users_, 0);
}

void submission_ring::note_stall(std::uint64_t now_ns) {
  std::uint64_t all = 0;
  for (auto& of_ring : memory_->to_host[0].fetched)
    all += atomic_ref<std::uint64_t, scope::system>(of_ring).load_relaxed();
  auto const since = all - std::exchange(fetched_at_note_, all);
  bool const is_fast = 1000 * since >= fast_fetch * (now_ns - std::exchange(noted_ns_, now_ns));
  if (is_fast && submitted() - fetched() > slots() / 2) ++stalls_;
}

std::uint64_t submission_ring::fetched() const {
  return atomic_ref<std::uint64_t, scope::system>(memory_->to_host[0].fetched[index_]).load_acquire();
}

// A batch slot is reused only after its batch was complete, so a batch that is a whole turn behind is
// complete. The count is read last: the slot may have been reused since its stamp was read.
bool submission_ring::complete(std::uint64_t batch) const {
  return is_recorded_complete(batch) || batch + batch_slots() < next_batch();
}

// A new batch fits only if the earlier batch in its slot is complete, so unfinished batches have other slots.
std::optional<batch_dependency> submission_ring::name_neighbours(std::span<batch_place const> awaited) const {
  auto const [first, last] = std::ranges::minmax(awaited, {}, &batch_place::batch);
  auto const distance = next_batch() - last.batch, more = last.batch - first.batch;
  auto const is_here = [&](batch_place const& one) { return one.ring == index_; };
  bool const fits = distance <= max_batch_distance && more <= max_more_batches && more + 1 == awaited.size();
  if (!fits || !std::ranges::all_of(awaited, is_here)) return std::nullopt;
  return batch_dependency{std::uint32_t(distance), std::uint32_t(more)};
}

std::optional<batch_dependency> submission_ring::name(std::span<batch_place const> awaited) {
  if (awaited.empty()) return batch_dependency{};
  if (auto const neighbours = name_neighbours(awaited)) return neighbours;
  auto const list_index = next_batch() & (list_users_.size() - 1);
  if (auto const user = list_users_[list_index]; user != 0 && !complete(user - 1)) return std::nullopt;
  auto& list = memory_->awaited[index_ * list_users_.size() + list_index].batches;
  auto* const rest = std::ranges::transform(awaited, list, [&](batch_place const& one) {
                       auto const slot = std::uint32_t(one.batch & (batch_slots() - 1));
                       auto const lap = (one.batch >> batch_shift_) + 1;
                       return lap << 32 | ((one.ring << batch_shift_) + slot);
                     }).out;
  std::fill(rest, std::end(list), 0);
  return batch_dependency{by_list, std::min(std::uint32_t(awaited.size()) - 1, max_more_batches)};
}

bool submission_ring::refresh_room(std::size_t tasks) {
  if (submitted() + tasks > slots_free_until_) slots_free_until_ = fetched() + slots();
  if (next_batch() >= batches_free_until_) refresh_free_batches();
  return has_known_room_for(tasks);
}

// A batch is free when the one a whole turn before it is complete. A batch that was never written is not
// complete.
void submission_ring::refresh_free_batches() {
  auto batch = batches_free_until_;
  auto const end = batch + records_per_poll;
  while (batch < end && is_recorded_complete(batch - batch_slots())) ++batch;
  batches_free_until_ = batch;
}

std::optional<std::uint64_t> submission_ring::oldest_unfinished() const {
  auto const end = next_batch();
  for (auto batch = end > batch_slots() ? end - batch_slots() : 0; batch < end; ++batch)
    if (!complete(batch)) return batch;
  return std::nullopt;
}

std::uint64_t submission_ring::unfinished_tasks() const {
  auto const end = next_batch();
  std::uint64_t tasks = 0;
  for (auto batch = end > batch_slots() ? end - batch_slots() : 0; batch < end; ++batch)
    if (!complete(batch)) tasks += batch_tasks_[batch & (batch_slots() - 1)].load(std::memory_order_relaxed);
  return tasks;
}

batch_times const& submission_ring::times_of(std::uint64_t batch) const {
  return memory_->times_out[batch_index(batch)];
}

task_slot const& submission_ring::slot(std::uint64_t position) const {
  return slots_[position & (slots() - 1)];
}

bool submission_ring::is_recorded_complete(task_slot const& slot) const {
  std::uint32_t words[4];
  for (int i = 0; i < 4; ++i) words[i] = slot.chunks[i].stamp >> 16;
  auto const mark = mark_of(words);
  auto& stamp = memory_->completions[batch_index(mark.slot)].stamp;
  return atomic_ref<std::uint32_t, scope::system>(stamp).load_acquire() == mark.lap;
}

std::optional<task_record> submission_ring::remainder_of(std::uint64_t position) const {
  auto const& left = memory_->to_host[0].final_position[index_];
  if (position < left.next || is_recorded_complete(slot(position))) return std::nullopt;
  auto record = read_slot(slot(position), lap_of(position, memory_->shift));
  if (record && position == left.next && left.blocks > 0)
    record->data[10] += left.blocks, record->data[11] -= left.blocks << 8;
  return record;
}

std::optional<task_record> record_in_ring(task_slot const& slot, std::uint32_t released) {
  return read_slot(slot, (released + 1) & lap_mask);
}

std::optional<task_record> remainder_of_grid(shared_grid const& grid) {
  task_record record;
  for (int i = 0; i < 4; ++i) std::copy_n(grid.whole.chunks[i].data, 3, record.data + 3 * i);
  auto const all = record.range();
  if (grid.next >= all.count) return std::nullopt;
  record.describe({all.first + grid.next, all.count - grid.next}, record.kernel() | task_record::grid_bit);
  return record;
}

}  // namespace ballast::detail
