// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "device/kernels.cuh"

namespace ballast::bench {

/// Stays busy for the given nanoseconds.
BALLAST_HD inline void spin_for(std::uint64_t busy_ns) {
  constexpr int max_polls = 1 << 24;  // ends the loop if a clock stands still
  auto const began = nanoseconds();
  for (int looks = 0; nanoseconds() - began < busy_ns && looks < max_polls; ++looks) {}
}

/// Stays busy for the given nanoseconds, then adds one to the word. Two kernels that overlap on one word lose
/// a count.
BALLAST_HD inline void spin_and_count(std::uint32_t* word, std::uint64_t busy_ns) {
  device_atomic<std::uint32_t> const runs(*word);
  auto const before = runs.load_relaxed();
  spin_for(busy_ns);
  runs.store_relaxed(before + 1);
}

/// Block b is busy by a multiprocessor's clock and counts in runs[b].
struct spin_block {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> runs;
  std::uint64_t busy_ns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) spin_and_count(&runs[block.index()], busy_ns);
  }
};

/// spin_block, for launch queues.
kernel_set const& spin_kernels();

/// spin_block as a plain `__global__` function, in blocks of spin_block::threads; null if CUDA was not built.
using plain_spin = void (*)(std::uint32_t* runs, std::uint64_t busy_ns);
plain_spin plain_spin_kernel();

}  // namespace ballast::bench
