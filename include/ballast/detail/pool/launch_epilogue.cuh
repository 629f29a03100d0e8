// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The end of a launch on a GPU: copies the workers' results to the host, and clears the words with which the
/// next launch begins. It is a kernel, since a copy command after the kernel takes as much as 10 us longer
/// (docs/decisions/0010).
struct launch_epilogue {
  struct alignas(16) piece {
    std::uint64_t halves[2];
  };

  piece* there = nullptr;    ///< on the device
  piece* here = nullptr;     ///< on the host, pinned
  std::uint32_t pieces = 0;  ///< pieces to copy
  std::uint32_t words = 0;   ///< pieces to clear, from the first on

  BALLAST_HD void copy_and_clear(std::uint32_t i) const {
    here[i] = there[i];
    if (i < words) there[i] = {};
  }
};

inline constexpr int epilogue_threads = 256;

#if defined(__CUDACC__)
template <int Threads>
__global__ void __launch_bounds__(Threads) launch_epilogue_on_gpu(launch_epilogue const work) {
  for (std::uint32_t i = blockIdx.x * Threads + threadIdx.x; i < work.pieces; i += gridDim.x * Threads)
    work.copy_and_clear(i);
}
#endif

inline kernel_entry make_epilogue_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &launch_epilogue_on_gpu<epilogue_threads>;
#endif
  code.threads = epilogue_threads;
  return {entry_key_of<launch_epilogue>, code};
}

}  // namespace ballast::detail
