// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/detail/queue/chen_source.cuh"
#include "ballast/device.hpp"
#include "ballast/methods/chen_queue.hpp"

namespace ballast::detail {

/// The queues of one device and the host's side of them (Chen et al. 2010, Algorithm 2). The host's copies
/// travel on a stream of their own, from pinned memory, since a copy from pageable memory would wait. One
/// thread at a time, except the counts, which any thread may read.
class chen_memory {
 public:
  chen_memory(std::shared_ptr<compute_device> device, chen_options const& options);

  /// As before the first task. Only while no kernel runs. Waits for the stream.
  void clear();
  chen_source_ref source(resident_control const& control);
  std::uint32_t queues() const { return std::uint32_t(written_.size()); }
  std::uint32_t capacity() const { return capacity_; }

  /// Line 8.
  bool is_empty(std::uint32_t queue) const { return consumed(queue) == written(queue); }
  /// h_written and h_consumed.
  std::uint64_t written(std::uint32_t queue) const { return written_[queue].load(); }
  std::uint64_t consumed(std::uint32_t queue) const;
  /// Lines 9 to 14, for 1 .. capacity() tasks and an empty queue. Waits for the first copy only. If it
  /// throws, no block will run any of these tasks.
  void write(std::uint32_t queue, std::span<task_record const> tasks, deadline until);
  /// Asks the blocks to leave, without waiting.
  void write_stop();

  /// Of the last refill, the tasks that no block claimed: the first so many. Only while no kernel runs. Waits
  /// for the stream.
  std::uint64_t unclaimed(std::uint32_t queue);
  /// Before and after a kernel, if tasks are timed: forgets the times, and reads them (device time).
  void forget_times();
  batch_times read_times();

 private:
  std::uint64_t* staged(std::uint32_t queue) const { return &staging_[std::size_t(queue) * stride_]; }
  std::uint64_t* load(std::uint32_t queue) const { return loads_.data() + std::size_t(queue) * stride_; }
  void await_copies(deadline until);

  std::uint32_t capacity_, stride_;
  device_buffer<chen_counts> counts_;
  device_buffer<std::uint64_t> loads_, stop_;
  device_buffer<batch_times> times_;
  pinned_buffer<std::uint64_t> consumed_;  ///< h_consumed, a line per queue
  pinned_buffer<std::uint64_t> staging_, staged_written_;
  pinned_buffer<std::uint64_t> staged_one_;
  pinned_buffer<batch_times> staged_times_;
  std::vector<std::atomic<std::uint64_t>> written_;  ///< h_written
  std::unique_ptr<stream> copies_;
};

}  // namespace ballast::detail
