// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

/// Block i writes 3 i.
struct triple {
  static constexpr int threads = 32;
  ballast::array_ref<std::uint32_t> out;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) out[block.index()] = 3 * block.index();
  }
};

ballast::kernel_set const& kernels();
