// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ballast/device.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

/// A word for each chain, in which the chain's kernels count themselves: the sum is too small if two of them
/// ran at once. Or a word for each block.
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
  /// True if every word, or each of the first ones, has this count, and all words after those are 0; then
  /// resets them. Only while nothing runs.
  bool counted(std::uint64_t times) { return counted(times, words_.size()); }
  bool counted(std::uint64_t times, std::size_t first) {
    stream_->copy(seen_.data(), words_.data(), words_.bytes());
    stream_->synchronize(soon());
    clear();
    auto const all = seen_.span();
    return std::ranges::all_of(all.first(first), [&](auto word) { return word == times; }) &&
           std::ranges::all_of(all.subspan(first), [](auto word) { return word == 0; });
  }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> words_;
  pinned_buffer<std::uint32_t> seen_;
};

}  // namespace ballast::bench
