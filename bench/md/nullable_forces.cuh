// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/task.hpp"
#include "md/cell_forces.cuh"

namespace ballast::bench {

/// The forces on a block of 128 atoms, unless its entry of `active` is 0: then the block ends at once without
/// results.
struct nullable_forces {
  using kernel = md::cell_forces<float>;
  static constexpr int threads = kernel::threads;
  static constexpr int blocks_per_multiprocessor = kernel::blocks_per_multiprocessor;

  array_ref<kernel const> forces;
  array_ref<std::uint32_t const> active;  ///< by block

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (active[block.index()] == 0) return;
    kernel const on_atoms = *forces.data();
    on_atoms(block);
  }
};

kernel_set const& nullable_kernels();  ///< nullable_forces

}  // namespace ballast::bench
