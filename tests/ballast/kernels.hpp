// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/segments.cuh"

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

/// Adds to the element of its block what prepare() left in the scratch, and clears that.
struct add_prepared {
  static constexpr int threads = 32;
  struct scratch {
    std::uint32_t value;
  };
  array_ref<std::uint32_t> sums;
  std::uint32_t value;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    if (block.rank() == 0) block.scratch().value = value;
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    sums[block.index()] += block.scratch().value;
    block.scratch().value = 0;
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

/// Count the items of segments: by shares, what goes over their borders, and by pieces.
struct count_shares {
  static constexpr int threads = 64;
  using scratch = share_memory<std::uint32_t>;
  segments<std::uint32_t> of;
  array_ref<std::uint32_t> counts;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    reduce_segments(
        block, block.scratch(), of, block.index(), 0, [](std::uint32_t) { return 1u; }, plus(),
        [&](std::uint32_t segment, std::uint32_t count) { counts[segment] = count; });
  }
};
struct count_carries {
  static constexpr int threads = 64;
  segments<std::uint32_t> of;
  array_ref<std::uint32_t> counts;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    add_carries(block, of, block.index(), 0, plus(),
                [&](std::uint32_t segment, std::uint32_t count) { counts[segment] += count; });
  }
};
struct count_pieces {
  static constexpr int threads = 64;
  array_ref<piece const> pieces;
  array_ref<std::uint32_t> parts, counters, counts;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    piece const mine = pieces[block.index()];
    if (block.rank() == 0) parts[block.index()] = std::uint32_t(mine.end - mine.begin);
    if (!is_last_of(block, mine, counters)) return;
    auto const part = [&](std::uint32_t i) { return parts[mine.first + i]; };
    auto const count = block.reduce(mine.of, 0u, part);
    if (block.rank() == 0) counts[mine.segment] = count;
  }
};

kernel_set const& plain_kernels();        ///< add<64>
kernel_set const& unequal_kernels();      ///< add<64>, add<96>
kernel_set const& large_kernels();        ///< add<64>, add<64, 300>
kernel_set const& preparing_kernels();    ///< add_prepared
kernel_set const& spawning_kernels();     ///< tree_node<false>, add_prepared
kernel_set const& summing_kernels();      ///< tree_node<true>
kernel_set const& kernels_for_queues();   ///< add<64>, for_queues
kernel_set const& counting_kernels();     ///< count_shares, count_carries, count_pieces
kernel_set const& kernels_for_nothing();  ///< add<64>, for_jobs

}  // namespace ballast::test
