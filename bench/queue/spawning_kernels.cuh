// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "queue/kernels.cuh"

namespace ballast::bench {

/// The root (or node `node`) of a binary tree of `nodes` tasks, each of which adds one to the block's word.
struct count_tree {
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 16;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint32_t> counts;
  std::uint32_t nodes, node = 0;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() >= 2) return;
    if (block.rank() == 0) device_word(counts[block.index()]).add_relaxed(1);
    block.for_each(2, [&](std::uint32_t i) {
      std::uint32_t const child = 2 * node + 1 + i;
      if (child < nodes) block.spawn(count_tree{counts, nodes, child}, {block.index(), 1});
    });
  }
};

/// The task kernels of small_block_kernels() and uneven_kernels(), in sets whose tasks may create tasks.
kernel_set const& small_block_kernels_with_pool();
kernel_set const& uneven_kernels_with_pool();

}  // namespace ballast::bench
