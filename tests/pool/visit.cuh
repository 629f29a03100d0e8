// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::test {

/// The tasks of a binary tree, each of which counts itself in its worker's counter (docs/pool.md names it).
struct visit {
  static constexpr int threads = 1;
  static constexpr std::uint32_t spawns = 2;
  array_ref<std::uint64_t> visits;  // one for each worker, all 0 at first
  std::uint32_t depth;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    ++visits[block.worker()];
    for (int child = 0; child < 2 && depth > 0; ++child) block.spawn(visit{visits, depth - 1});
  }
};

kernel_set const& visit_kernels();

}  // namespace ballast::test
