// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "ballast/atomic_ref.cuh"
#include "ballast/for_each_block.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// `blocks` blocks share the tiles. Each adds 1 to visits[tile] for each of its threads, and what its first
/// thread wrote to scratch for the tile to seen[tile] in its last thread. The tile `thrown`, if any, throws.
struct visit_tiles {
  static constexpr int threads = 64;
  static constexpr unsigned none = ~0u;
  struct scratch {
    unsigned tile;
  };

  array_ref<unsigned> visits, seen;
  block_counter* counter;
  unsigned tiles, blocks, thrown = none;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for_each_block(block, *counter, tiles, blocks, [&](unsigned tile) {
#if !BALLAST_ON_GPU
      if (tile == thrown) throw std::runtime_error("planted");
#endif
      if (block.rank() == 0) block.scratch().tile = tile;
      block.sync();
      device_atomic<unsigned>(visits[tile]).add_relaxed(1);
      if (block.rank() + 1 == block.size()) seen[tile] = block.scratch().tile;
    });
  }
};

}  // namespace ballast::test
