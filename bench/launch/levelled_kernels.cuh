// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "device/launched.cuh"
#include "launch/dependent_steps.cuh"

namespace ballast::bench {

/// Shared memory with which exactly `places` blocks (1, 2 or 4) fit on an SM of compute capability 9.0, which
/// has 228 KiB and reserves one for each block.
constexpr std::uint32_t shared_bytes_for(int places) {
  return (places == 1 ? 116 : places == 2 ? 80 : 48) * 1024;
}

/// Runs dependent multiply-adds in each thread, with few enough threads that blocks on one SM hardly slow
/// each other, then adds one to the block's count. All blocks cost the same, and an SM runs `Places` at a
/// time.
template <int Places>
struct level_block {
  static constexpr int threads = 64;
  struct scratch {
    unsigned char unused[shared_bytes_for(Places)];
  };
  array_ref<std::uint32_t> counts;
  std::uint32_t steps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    count(block, multiplied_and_added(block.index() + block.rank(), steps));
  }
  template <class Block>
  BALLAST_HD void count(Block& block, std::uint32_t value) const {
    // One in 2^32 first values ends as 0; testing for it keeps the compiler from removing the work.
    if (block.rank() == 0 || value == 0)
      device_atomic<std::uint32_t>(counts[block.index()]).add_relaxed(value == 0 ? 2 : 1);
  }
};

/// The same kernel with twice the work, from twice the code.
struct long_block {
  static constexpr int threads = level_block<1>::threads;
  using scratch = level_block<1>::scratch;
  level_block<1> half;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const value = multiplied_and_added(block.index() + block.rank(), half.steps);
    half.count(block, multiplied_and_added<22695477>(value, half.steps));
  }
};

/// level_block<1> and long_block, which one launch may mix.
kernel_set const& levelled_kernels();

}  // namespace ballast::bench
