// SPDX-License-Identifier: Apache-2.0
// Says the body takes the number of a tile: [&](unsigned tile) { ... }

#include "ballast/block.cuh"
#include "ballast/for_each_block.cuh"

namespace tile_loop_without_a_tile {

struct mine {
  static constexpr int threads = 64;
  ballast::block_counter* counter;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
#ifdef CORRECTED
    ballast::for_each_block(block, *counter, 100, 2, [](unsigned) {});
#else
    ballast::for_each_block(block, *counter, 100, 2, [] {});
#endif
  }
};
inline void run(ballast::detail::host_block<mine>& block) { mine{}(block); }

}
