// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {
using namespace detail;

/// Sets a word.
struct set_word {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> to;
  std::uint32_t value;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) to[0] = value;
  }
};

/// Copies a word that nobody changes while this runs, on a GPU by the read-only path.
struct copy_unchanging_word {
  static constexpr int threads = 64;
  array_ref<std::uint32_t const> from;
  array_ref<std::uint32_t> to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
#if BALLAST_ON_GPU
    if (block.rank() == 0) to[0] = __ldg(&from[0]);
#else
    if (block.rank() == 0) to[0] = from[0];
#endif
  }
};

kernel_set const& read_only_kernels();

}  // namespace ballast::test
