// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>

#include "ballast/device.hpp"
#include "pool/peer_work.cuh"

namespace ballast::bench {

/// The words of a spread_sum, in a device's memory.
class summed {
 public:
  explicit summed(std::shared_ptr<compute_device> const& device)
      : words_(device, spread_sum::words), copy_(device, spread_sum::words), stream_(device->make_stream()) {}

  spread_sum ref() const { return {array_ref<std::uint64_t>(words_.data())}; }
  void clear() {
    stream_->fill(words_.data(), 0, words_.bytes());
    stream_->synchronize();
  }
  std::uint64_t total() {
    stream_->copy(copy_.data(), words_.data(), words_.bytes());
    stream_->synchronize();
    auto const parts = copy_.span();
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t(0));
  }

 private:
  device_buffer<std::uint64_t> words_;
  pinned_buffer<std::uint64_t> copy_;
  std::unique_ptr<stream> stream_;
};

}  // namespace ballast::bench
