// SPDX-License-Identifier: Apache-2.0
// What a task does in the graphs of graphs.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "device/kernels.cuh"

namespace ballast::bench {

/// A step of chains that stand side by side: writes one more than it finds in the step before, and in that of
/// the chain `across` places further. Each thread reads what another thread wrote.
struct chain_step {
  static constexpr int threads = 64;
  static constexpr std::uint32_t words = 64;  ///< of each step

  array_ref<std::uint32_t> values;
  std::uint32_t width, across;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = values.from(std::size_t(block.index()) * words);
    if (block.index() < width) return block.for_each(words, [&](std::uint32_t i) { mine[i] = 1; });
    auto const last = block.index() - width, column = last % width;
    auto const other = last - column + (column + across < width ? column + across : column + across - width);
    block.for_each(words, [&](std::uint32_t i) {
      auto const read = (i + 1) % words;
      auto const one = values[std::size_t(last) * words + read],
                 two = values[std::size_t(other) * words + read];
      mine[i] = (one < two ? two : one) + 1;
    });
  }
};

/// Is busy for a time, and then writes one more than its predecessors have written.
struct busy_step {
  static constexpr int threads = 64;
  static constexpr std::uint32_t words = 64;            ///< of each task
  static constexpr std::uint32_t max_predecessors = 3;  ///< of each task; no_predecessor where it has fewer
  static constexpr std::uint32_t no_predecessor = ~std::uint32_t(0);

  array_ref<std::uint32_t> values;
  array_ref<std::uint32_t const> predecessors;
  array_ref<std::uint32_t const> busy_ticks;  ///< of each task

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::size_t const task = block.index();
    if (block.rank() == 0)
      for (auto const began = ticks(); ticks() - began < busy_ticks[task];) {}
    block.sync();
    block.for_each(words, [&](std::uint32_t i) {
      std::uint32_t most = 0;
      for (std::uint32_t k = 0; k < max_predecessors; ++k) {
        auto const before = predecessors[task * max_predecessors + k];
        if (before == no_predecessor) continue;
        auto const value = values[std::size_t(before) * words + (i + 1) % words];
        most = most < value ? value : most;
      }
      values[task * words + i] = most + 1;
    });
  }
};

kernel_set const& chain_step_kernels();
kernel_set const& busy_step_kernels();

}  // namespace ballast::bench
