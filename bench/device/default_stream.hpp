// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ballast/device.hpp"

namespace ballast::bench {

/// CUDA's stream 0, which the library never uses: the two ways to copy that a program without streams has. On
/// a GPU only; everything throws ballast::error with CUDA's message, or if CUDA was not built.
class default_stream {
 public:
  /// Makes the device the calling thread's current device, which it must be at each copy.
  explicit default_stream(compute_device const& device);

  /// cudaMemcpy, whose wait is CUDA's own and has no deadline, so nothing but this copy may be on the device.
  void copy(void* to, void const* from, std::size_t bytes);
  /// cudaMemcpyAsync, then queries until the copy is done. Throws timed_out.
  void copy_and_query(void* to, void const* from, std::size_t bytes);
};

}  // namespace ballast::bench
