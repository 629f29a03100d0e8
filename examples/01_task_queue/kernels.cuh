// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ballast/kernel.cuh>
#include <ballast/task.hpp>

/// Counts the steps of the Collatz sequence of 128 numbers per block: work whose cost nobody knows
/// beforehand.
struct collatz {
  static constexpr int threads = 128;
  ballast::array_ref<std::uint32_t> steps;  // the members are the kernel's arguments

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(threads, [&](std::uint32_t i) {
      std::uint32_t const start = block.index() * threads + i;
      std::uint32_t count = 0;
      for (std::uint64_t n = start + 1; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      steps[start] = count;
    });
  }
};

ballast::kernel_set const& kernels();
