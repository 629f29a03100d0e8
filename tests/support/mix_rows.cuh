// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/array_view.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// A block is a row: each element of the next state is made of three rows of this one, the edge being what
/// it is next to.
struct mix_rows {
  static constexpr int threads = 32;
  array_ref<std::uint32_t const> now;
  array_ref<std::uint32_t> next;
  std::uint32_t rows, columns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index();
    auto const above = row == 0 ? row : row - 1, below = row + 1 == rows ? row : row + 1;
    block.for_each(columns, [&](std::uint32_t column) {
      next[at(row, column)] =
          3 * now[at(above, column)] + 5 * now[at(row, column)] + 7 * now[at(below, column)];
    });
  }
  BALLAST_HD std::size_t at(std::uint32_t row, std::uint32_t column) const {
    return std::size_t(row) * columns + column;
  }
};

}  // namespace ballast::test
