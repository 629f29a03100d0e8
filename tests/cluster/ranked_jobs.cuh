// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ballast/array_view.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {

/// A block is a row: what it becomes is made of it and of its two neighbours, the edge being its own.
struct blend_rows {
  static constexpr int threads = 32;
  array_ref<std::uint32_t const> now;
  array_ref<std::uint32_t> next;
  std::uint32_t rows, columns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index();
    auto const above = row == 0 ? row : row - 1, below = row + 1 == rows ? row : row + 1;
    block.for_each(columns, [&](std::uint32_t column) {
      auto const of = [&](std::uint32_t one) { return now[std::size_t(one) * columns + column]; };
      next[std::size_t(row) * columns + column] = 3 * of(above) + 5 * of(row) + 7 * of(below);
    });
  }
};

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
