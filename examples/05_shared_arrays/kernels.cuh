// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include <ballast/job_scheduler.hpp>
#include <ballast/kernel.cuh>

/// Heat flows through a plate, whose edge keeps its temperature. A block is a row of the plate.
struct heat {
  static constexpr int threads = 128;
  ballast::array_ref<float const> now;  // the members are the kernel's arguments
  ballast::array_ref<float> next;
  std::uint32_t rows, columns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(columns, [&](std::uint32_t column) {
      auto const at = std::size_t{block.index()} * columns + column;  // of the whole array, on every device
      next[at] = is_edge(block.index(), column) ? now[at] : mean_of_neighbors(at);
    });
  }
  BALLAST_HD bool is_edge(std::uint32_t row, std::uint32_t column) const {
    return row == 0 || row + 1 == rows || column == 0 || column + 1 == columns;
  }
  BALLAST_HD float mean_of_neighbors(std::size_t at) const {
    return 0.25f * (now[at - columns] + now[at + columns] + now[at - 1] + now[at + 1]);
  }
};

ballast::kernel_set const& kernels();
