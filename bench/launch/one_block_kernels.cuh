// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "device/launched.cuh"
#include "launch/dependent_steps.cuh"

namespace ballast::bench {

/// The kernel of Wende et al.: every number becomes its square root. A launch of several blocks divides the
/// numbers among them.
struct take_roots {
  static constexpr int threads = 512;
  array_ref<float> numbers;
  std::uint32_t size;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const piece = (size + block.count() - 1) / block.count();
    auto const first = block.index() * piece;
    if (first >= size) return;
    auto const own = first + piece < size ? piece : size - first;
    block.for_each(own, [&](std::uint32_t i) { numbers[first + i] = sqrtf(numbers[first + i]); });
  }
};

/// Uses only registers: `steps` dependent multiply-adds in every thread. The first of the two words becomes
/// their result, which reveals a launch that is lost, or that overlaps another on the same words.
struct multiply_and_add {
  static constexpr int threads = 512;
  array_ref<std::uint32_t> words;
  std::uint32_t steps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    run(block.rank(), words.data(), steps);
  }
  BALLAST_HD static void run(std::uint32_t rank, std::uint32_t* words, std::uint32_t steps) {
    auto const value = multiplied_and_added(rank == 0 ? words[0] : rank, steps);
    if (rank == 0) words[0] = value;
    if (rank != 0 && value == 0) words[1] = 1;  // so that no thread's work can be optimised away
  }
};

/// take_roots and multiply_and_add, for launch queues.
kernel_set const& one_block_kernels();

/// take_roots and multiply_and_add as plain `__global__` functions of one block; null if CUDA was not built.
using plain_roots = void (*)(float* numbers, std::uint32_t size);
plain_roots plain_roots_kernel();
using plain_multiply = void (*)(std::uint32_t* words, std::uint32_t steps);
plain_multiply plain_multiply_kernel();

}  // namespace ballast::bench
