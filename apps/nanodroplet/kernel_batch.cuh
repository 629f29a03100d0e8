// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::nanodroplet {

/// The same kernel for many chains as one kernel: chain c has the blocks from c * blocks_each on.
template <kernel_form K>
struct kernel_batch {
  static constexpr int threads = K::threads, blocks_per_multiprocessor = detail::requested_blocks<K>;
  using scratch = scratch_of<K>;

  array_ref<K const> kernels;  ///< by chain
  std::uint32_t blocks_each;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    Block of_chain = block;
    of_chain.move_to(block.index() % blocks_each);
    kernels[block.index() / blocks_each](of_chain);  // no copy, for which K1 has no registers left
  }
};

}  // namespace ballast::nanodroplet
