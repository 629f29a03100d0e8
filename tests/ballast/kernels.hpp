// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {

/// Adds `value` to the element of its block. `Bytes` of members nobody reads.
template <int Threads, std::size_t Bytes = 1>
struct add {
  static constexpr int threads = Threads;
  array_ref<std::uint32_t> sums;
  std::uint32_t value;
  unsigned char unused[Bytes];

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) sums[block.index()] += value;
  }
};

/// Is one of a tree of that many levels and adds 1 to the run's sum, if it has one.
template <bool Reduces>
struct tree_node {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 2;
  static constexpr bool reduces = Reduces;
  std::uint32_t levels;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if constexpr (Reduces) block.add_to_sum(1);
    for (int child = 0; levels > 1 && child < 2; ++child) block.spawn(tree_node{levels - 1});
  }
};

kernel_set const& plain_kernels();        ///< add<64>
kernel_set const& unequal_kernels();      ///< add<64>, add<96>
kernel_set const& large_kernels();        ///< add<64>, add<64, 300>
kernel_set const& spawning_kernels();     ///< tree_node<false>
kernel_set const& summing_kernels();      ///< tree_node<true>
kernel_set const& kernels_for_queues();   ///< add<64>, for_queues
kernel_set const& kernels_for_nothing();  ///< add<64>, for_jobs

}  // namespace ballast::test
