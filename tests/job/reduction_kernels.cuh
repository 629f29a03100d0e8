// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// The word of block i becomes the number of items below i that are not divisible by 3, by a block's reduce,
/// scan and warps alike; else it becomes 0.
struct count_by_reduction {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> words;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const n = block.index();
    auto const counts = [](std::uint32_t i) { return i % 3 != 0 ? 1u : 0u; };
    auto const sum = block.reduce(n, 0u, counts);
    auto const scanned = block.scan(n, 0u, counts, plus(), [](std::uint32_t, std::uint32_t) {});
    auto const of_warp = block.warp().reduce(n, 0u, counts);
    bool const are_equal = block.warp().all(sum == scanned && sum == of_warp);
    block.for_each(1, [&](std::uint32_t) { words[n] = are_equal ? sum : 0; });
  }
};

kernel_set const& reducing_kernels();

}  // namespace ballast::test
