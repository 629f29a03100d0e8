// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "device/kernels.cuh"

namespace ballast::bench {

/// Task `index` of a graph is busy for a time, and then writes one more than its predecessors have written:
/// its layer, if it began after all of them. A task without predecessors adds to its own words, so that each
/// round differs. Each thread reads what another thread of the predecessor wrote.
struct graph_step {
  static constexpr int threads = 64;
  static constexpr std::uint32_t words = 64;            ///< of each task
  static constexpr std::uint32_t max_predecessors = 3;  ///< of each task; no_predecessor where it has fewer
  static constexpr std::uint32_t no_predecessor = ~std::uint32_t(0);
  static constexpr std::uint32_t apart = 1 << 12;  ///< what the first tasks add each round

  array_ref<std::uint32_t> values;
  array_ref<std::uint32_t> predecessors;
  array_ref<std::uint32_t> busy_ticks;  ///< of each task

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::size_t const task = block.index();
    if (block.rank() == 0)
      for (auto const began = ticks(); ticks() - began < busy_ticks[task];) {}
    block.sync();
    block.for_each(words, [&](std::uint32_t i) {
      auto& mine = values[task * words + i];
      std::uint32_t most = 0;
      for (std::uint32_t k = 0; k < max_predecessors; ++k) {
        auto const before = predecessors[task * max_predecessors + k];
        if (before == no_predecessor) continue;
        auto const value = values[std::size_t(before) * words + (i + 1) % words];
        most = most < value ? value : most;
      }
      mine = most == 0 ? mine + apart : most + 1;
    });
  }
};

kernel_set const& graph_step_kernels();

}  // namespace ballast::bench
