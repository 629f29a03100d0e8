// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ballast/device/buffer.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

/// A word for each chain of kernels, in which they count themselves: less than the kernels of the chain if
/// two of it ran at once.
class chain_words {
 public:
  chain_words(std::shared_ptr<compute_device> const& device, std::size_t chains)
      : stream_(device->make_stream()), words_(device, chains), seen_(device, chains) {
    clear();
  }

  std::uint32_t* of(std::size_t chain) const { return words_.data() + chain; }
  void clear() {
    stream_->fill(words_.data(), 0, words_.bytes());
    stream_->synchronize(soon());
  }
  /// Whether every chain has counted so far; begins anew. While nothing runs.
  bool counted(std::uint64_t kernels) {
    stream_->copy(seen_.data(), words_.data(), words_.bytes());
    stream_->synchronize(soon());
    clear();
    return std::ranges::all_of(seen_.span(), [&](auto word) { return word == kernels; });
  }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> words_;
  pinned_buffer<std::uint32_t> seen_;
};

}  // namespace ballast::bench
