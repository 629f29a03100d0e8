// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#if !BALLAST_ON_GPU
#  include <thread>
#endif

#include "ballast/array_view.cuh"
#include "ballast/atomic_ref.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"

namespace ballast::test {

/// Its number, squared.
struct square {
  static constexpr int threads = 64;
  std::uint32_t number;
  result_ref<std::uint32_t> result;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(result);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) result = number * number;
  }
};

/// As square, some microseconds long; and may be executed twice.
struct slow_square {
  static constexpr int threads = 64;
  static constexpr bool repeatable = true;
  std::uint32_t number;
  result_ref<std::uint32_t> result;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(result);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    std::uint32_t sum = number;
    for (std::uint32_t i = 0; i < 100'000; ++i) sum = sum * 1664525u + 1013904223u;
    result = sum == 0 && number == 0 ? 1 : number * number;
  }
};

/// The same, to be executed once.
struct slow_square_once : slow_square {
  static constexpr bool repeatable = false;
};

/// Runs until the word is not zero, on the rank that executes it.
struct wait_for_word {
  static constexpr int threads = 64;
  std::uint32_t* word;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(word);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    while (atomic_ref<std::uint32_t, scope::system>(*word).load_acquire() == 0) {
#if !BALLAST_ON_GPU
      std::this_thread::yield();
#endif
    }
  }
};

kernel_set const& rank_kernels();
/// Those of visiting_kernels.cuh, and wait_for_word.
kernel_set const& visiting_kernels();
/// uts_node.
kernel_set const& tree_kernels();

}  // namespace ballast::test
