// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "product_shape.hpp"

namespace ballast::matmul {

/// The kernel of Ohno et al. 2016, Fig. 3: a thread computes an element, a block `threads` columns of a row.
/// Blocks count from left to right, then down.
struct naive_product {
  static constexpr int threads = 256;
  static constexpr int blocks_per_multiprocessor = 8;  ///< all threads that there may be, to hide the loads
  static constexpr std::uint32_t rows_of_unit = 1;     ///< of c, which a row of blocks computes

  array_ref<std::int32_t const> a, b;
  array_ref<std::int32_t> c;
  product_shape shape;

  BALLAST_HD static constexpr std::uint32_t blocks_in_a_row(product_shape const& shape) {
    return shape.columns / threads + (shape.columns % threads != 0);
  }

  BALLAST_HD static constexpr std::uint32_t units(product_shape const& shape) {
    return shape.rows / rows_of_unit + (shape.rows % rows_of_unit != 0);
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t const across = blocks_in_a_row(shape);
    std::uint32_t const row = block.index() / across, column = block.index() % across * threads;
    std::uint32_t const left = shape.columns - column;
    if (left >= threads)
      multiply(block, row, column, items<threads>);
    else
      multiply(block, row, column, left);
  }

 private:
  /// A width known when compiled leaves the loop over k without a comparison on a GPU, and in vectors on the
  /// host.
  template <class Block, class Width>
  BALLAST_HD void multiply(Block& block, std::uint32_t row, std::uint32_t column, Width width) const {
    per_item<std::int32_t, threads, Block> sums;
    block.for_each(width, [&](std::uint32_t i) { sums[i] = 0; });
    auto const* const of_a = a.data() + std::size_t(row) * shape.inner;
    auto const* of_b = b.data() + column;
    for (std::uint32_t k = 0; k < shape.inner; ++k, of_b += shape.columns) {
      std::int32_t const factor = of_a[k];
      block.for_each(width, [&](std::uint32_t i) { sums[i] += factor * of_b[i]; });
    }
    auto* const of_c = c.data() + std::size_t(row) * shape.columns + column;
    block.for_each(width, [&](std::uint32_t i) { of_c[i] = sums[i]; });
  }
};

}  // namespace ballast::matmul
