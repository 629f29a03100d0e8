// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "queue/kernels.cuh"

namespace ballast::bench {

/// A word per block in which count_block counts how often each block ran.
class counted_blocks {
 public:
  /// Allocates, so make it before a resident kernel starts.
  counted_blocks(std::shared_ptr<compute_device> on, std::size_t blocks)
      : stream_(on->make_stream()), words_(on, blocks), copy_(on, blocks) {
    clear();
  }

  /// Clears all words. Call it before a resident kernel starts: beside one that fills the chip, nothing can
  /// be cleared.
  void clear() {
    stream_->fill(words_.data(), 0, words_.bytes());
    stream_->synchronize();
  }
  /// True if every block ran exactly `times` times since clear().
  bool each_ran(std::uint32_t times) {
    stream_->copy(copy_.data(), words_.data(), words_.bytes());
    stream_->synchronize();
    return std::ranges::all_of(copy_.span(), [=](auto count) { return count == times; });
  }
  /// The task that counts one block.
  template <int Threads = 128>
  task block(std::uint32_t index) const {
    return task(count_block<Threads>{words()}, {index, 1});
  }
  template <int Threads = 128>
  std::vector<task> all() const {
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < words_.size(); ++i) tasks.push_back(block<Threads>(i));
    return tasks;
  }
  array_ref<std::uint32_t> words() const { return array_ref<std::uint32_t>(words_.data()); }
  std::size_t size() const { return words_.size(); }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> words_;
  pinned_buffer<std::uint32_t> copy_;
};

}  // namespace ballast::bench
