// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/array_view.cuh"
#include "ballast/kernel_set.hpp"
#include "mix_rows.cuh"

namespace ballast::test {

/// A block adds all elements to its own.
struct add_all_to_each {
  static constexpr int threads = 32;
  array_ref<std::uint32_t const> all;
  array_ref<std::uint32_t> sums;
  std::uint32_t count;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      auto sum = sums[block.index()] * 31;
      for (std::uint32_t i = 0; i < count; ++i) sum += all[i] * (i + 1);
      sums[block.index()] = sum;
    });
  }
};

kernel_set const& ranked_job_kernels();

}  // namespace ballast::test
