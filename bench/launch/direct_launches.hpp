// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "launch/stream_set.hpp"

namespace ballast::bench {

/// The spinning kernel launched as a program without a queue would: on a GPU the plain `__global__` function
/// by CUDA's own call, on CPU cores the ballast kernel.
class direct_launches {
 public:
  direct_launches(std::shared_ptr<compute_device> device, std::size_t streams);

  /// Each thread calls it before its first launch().
  void enter_thread() const;
  /// One thread at a time for a stream. Does not wait.
  void launch(std::size_t on, std::uint32_t blocks, std::uint32_t* runs, std::uint64_t busy_ns);
  /// Waits for all streams. Throws timed_out.
  void synchronize() { streams_.synchronize(); }

  stream& at(std::size_t place) { return streams_[place]; }

 private:
  std::shared_ptr<compute_device> device_;
  stream_set streams_;
};

}  // namespace ballast::bench
