// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {

/// Block i adds i to the number with this index.
struct add_index {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> numbers;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) numbers[block.index()] += block.index();
  }
};

/// A node of a binary tree: adds 1 to the run's sum and creates its children.
struct count_node {
  static constexpr int threads = 1;
  static constexpr std::uint32_t spawns = 2;
  static constexpr bool reduces = true;
  std::uint32_t depth;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.add_to_sum(1);
    for (std::uint32_t child = 0; depth > 0 && child < 2; ++child) block.spawn(count_node{depth - 1});
  }
};

kernel_set const& index_kernels();
kernel_set const& tree_kernels();

/// A `__global__` function by which one thread adds to a number; null where CUDA was not built.
using plain_addition = void (*)(std::uint32_t* number, std::uint32_t added);
plain_addition add_plainly();

}  // namespace ballast::test
