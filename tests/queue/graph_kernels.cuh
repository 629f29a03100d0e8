// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels.cuh"

namespace ballast::test {

/// A task of a graph whose result depends on its runs so far, and on what its predecessors wrote. Plain loads
/// and stores, each of what another thread wrote: wrong as soon as a task begins early.
struct mix_predecessors {
  static constexpr int threads = 64;
  static constexpr std::uint32_t words = 64;  ///< of each task
  array_ref<std::uint32_t> values, predecessors;
  std::uint32_t first, count, factor;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(words, [&](std::uint32_t i) {
      auto& mine = values[std::size_t(block.index()) * words + i];
      auto sum = mine * factor + block.index() + i;
      for (std::uint32_t k = 0; k < count; ++k)
        sum = sum * 31 + values[std::size_t(predecessors[first + k]) * words + (i + 1) % words];
      mine = sum;
    });
  }
};

kernel_set const& graph_kernels();

}  // namespace ballast::test
