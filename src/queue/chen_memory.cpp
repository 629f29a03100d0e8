// SPDX-License-Identifier: Apache-2.0
#include "chen_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace ballast::detail {
namespace {

// On the host a copy of up to 16 KiB moves whole words, which the blocks may poll meanwhile.
constexpr std::uint32_t max_queues = 16, max_tasks = 256;

std::uint32_t checked(char const* argument, std::uint32_t value, std::uint32_t limit) {
  if (value < 1 || value > limit) throw_bad_argument(argument, value, "1 to " + std::to_string(limit));
  return value;
}

std::uint32_t words_for(std::uint32_t tasks) { return chen_load_head + tasks * chen_words_per_task; }

std::uint32_t whole_lines(std::uint32_t words) {
  return (words + words_per_line - 1) / words_per_line * words_per_line;
}

}  // namespace

chen_memory::chen_memory(std::shared_ptr<compute_device> device, chen_options const& options)
    : capacity_(checked("tasks_per_queue", options.tasks_per_queue, max_tasks)),
      stride_(whole_lines(words_for(capacity_))),
      counts_(device, checked("queues", options.queues, max_queues)),
      loads_(device, std::size_t(options.queues) * stride_),
      stop_(device, 1),
      times_(device, options.times ? 1 : 0),
      consumed_(device, std::size_t(options.queues) * words_per_line),
      staging_(device, loads_.size()),
      staged_written_(device, options.queues),
      staged_one_(device, 1),
      staged_times_(device, 1),
      written_(options.queues),
      copies_(device->make_stream()) {
  staged_one_[0] = 1;
  clear();
  (void)copies_->record();  // the first event of a device is made here, not beside a resident kernel
}

void chen_memory::clear() {
  copies_->fill(counts_.data(), 0, counts_.bytes());
  copies_->fill(loads_.data(), 0, loads_.bytes());
  copies_->fill(stop_.data(), 0, stop_.bytes());
  std::ranges::fill(consumed_.span(), 0u);
  for (auto& written : written_) written = 0;
  copies_->synchronize();
}

chen_source_ref chen_memory::source(resident_control const& control) {
  chen_source_ref ref;
  ref.control = control;
  ref.counts = counts_.data();
  ref.loads = loads_.data();
  ref.stop = stop_.data();
  ref.times = times_.data();
  ref.consumed = consumed_.data();
  ref.queues = queues();
  ref.stride = stride_;
  return ref;
}

std::uint64_t chen_memory::consumed(std::uint32_t queue) const {
  auto& word = consumed_[std::size_t(queue) * words_per_line];
  return atomic_ref<std::uint64_t, scope::system>(word).load_acquire();
}

// An empty queue has been read to its end, and so have the copies that filled it: the staged words are free.
void chen_memory::write(std::uint32_t queue, std::span<task_record const> tasks, deadline until) {
  auto* const from = staged(queue);
  from[0] = tasks.size();
  std::memcpy(from + chen_load_head, tasks.data(), tasks.size_bytes());
  copies_->copy(load(queue), from, words_for(std::uint32_t(tasks.size())) * sizeof(std::uint64_t));
  await_copies(until);
  staged_written_[queue] = written(queue) + tasks.size();
  copies_->copy(&counts_.data()[queue].written, &staged_written_[queue], sizeof(std::uint64_t));
  written_[queue] = staged_written_[queue];
}

// host_write_fence(): an event behind the copies, and no further before it is reached.
void chen_memory::await_copies(deadline until) {
  auto const fence = copies_->record();
  for (std::uint32_t looks = 0; !fence->reached(); ++looks) {
    if (until.passed()) throw timed_out("a copy into a queue in device memory", "its event is not reached");
    if (looks > 60) std::this_thread::yield();
  }
}

void chen_memory::write_stop() { copies_->copy(stop_.data(), &staged_one_[0], stop_.bytes()); }

std::uint64_t chen_memory::unclaimed(std::uint32_t queue) {
  copies_->copy(staged(queue), load(queue), sizeof(std::uint64_t));
  copies_->synchronize();
  return std::uint64_t(std::max<std::int64_t>(0, std::int64_t(staged(queue)[0])));
}

void chen_memory::forget_times() {
  if (times_.size() == 0) return;
  staged_times_[0] = {~std::uint64_t(0), 0, 0};
  copies_->copy(times_.data(), &staged_times_[0], times_.bytes());
  copies_->synchronize();
}

batch_times chen_memory::read_times() {
  if (times_.size() == 0) return {0, 0, 0};
  copies_->copy(&staged_times_[0], times_.data(), times_.bytes());
  copies_->synchronize();
  return staged_times_[0];
}

}  // namespace ballast::detail
