// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ballast/device.hpp"
#include "device/timed.hpp"

namespace ballast::bench {

/// The streams of a program that has no queue.
class stream_set {
 public:
  stream_set(compute_device& device, std::size_t streams) {
    for (std::size_t i = 0; i < streams; ++i) streams_.push_back(device.make_stream());
  }

  stream& operator[](std::size_t place) { return *streams_[place]; }
  std::size_t size() const { return streams_.size(); }
  /// Waits for all. Throws timed_out.
  void synchronize() {
    for (auto const& one : streams_) one->synchronize(soon());
  }

 private:
  std::vector<std::unique_ptr<stream>> streams_;
};

}  // namespace ballast::bench
