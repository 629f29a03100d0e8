// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "reference.hpp"

namespace ballast::matmul {

/// The kernel of Ohno et al. 2016, Fig. 3: a thread computes an element, a block `threads` columns of a row.
/// Blocks count from left to right, then down.
struct naive_product {
  static constexpr int threads = 256;
  static constexpr int blocks_per_multiprocessor = 8;  ///< the full number of threads, to hide the loads
  static constexpr std::uint32_t rows_of_unit = 1;     ///< rows of c that a row of blocks computes

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
  /// Computes a part of a row. A compile-time width lets the loop over k run without a comparison on a GPU,
  /// and vectorised on the host.
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

/// A block computes a tile of 128 x 128 elements of c, each thread 8 x 8 of them in registers, from slices of
/// a and b in shared memory. Blocks count from left to right, then down. Tiles may reach beyond the matrices.
struct tiled_product {
  static constexpr int threads = 256;
  static constexpr std::uint32_t side = 128, depth = 16;  ///< of a tile of c; of a slice
  static constexpr std::uint32_t rows_of_unit = side;

  struct scratch {
    alignas(16) std::int32_t a[depth][side + 4];  ///< transposed; the padding of 4 avoids bank conflicts of
                                                  ///< its stores
    alignas(16) std::int32_t b[depth][side];
  };

  array_ref<std::int32_t const> a, b;
  array_ref<std::int32_t> c;
  product_shape shape;

  BALLAST_HD static constexpr std::uint32_t blocks_in_a_row(product_shape const& shape) {
    return shape.columns / side + (shape.columns % side != 0);
  }

  BALLAST_HD static constexpr std::uint32_t units(product_shape const& shape) {
    return shape.rows / rows_of_unit + (shape.rows % rows_of_unit != 0);
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t const across = blocks_in_a_row(shape);
    corner const tile{block.index() / across * side, block.index() % across * side};
    per_item<patch, threads, Block> patches;
    block.for_each(threads, [&](std::uint32_t i) { patches[i] = {}; });
    for (std::uint32_t k = 0; k < shape.inner; k += depth) {
      load(block, tile, k);
      block.sync();
      block.for_each(threads, [&](std::uint32_t i) { multiply(block.scratch(), i, patches[i]); });
      block.sync();
    }
    block.for_each(threads, [&](std::uint32_t i) { store(tile, i, patches[i]); });
  }

 private:
  static constexpr std::uint32_t patch_side = 8, half = 4, patches_across = side / patch_side;

  struct corner {
    std::uint32_t row, column;
  };
  /// The elements of a thread: 8 consecutive rows, and 4 columns in either half of the tile, so that
  /// neighbouring threads read neighbouring words of b.
  struct patch {
    std::int32_t sums[patch_side][patch_side];
  };

  BALLAST_HD static std::uint32_t row_of(std::uint32_t item, std::uint32_t r) {
    return item / patches_across * patch_side + r;
  }
  BALLAST_HD static std::uint32_t column_of(std::uint32_t item, std::uint32_t c) {
    return c / half * (side / 2) + item % patches_across * half + c % half;
  }

  /// Loads the slices from k on; elements beyond the matrices are 0.
  template <class Block>
  BALLAST_HD void load(Block& block, corner const& tile, std::uint32_t k) const {
    auto& slices = block.scratch();
    block.for_each(side, depth, [&](std::uint32_t row, std::uint32_t inner) {
      bool const is_inside = tile.row + row < shape.rows && k + inner < shape.inner;
      slices.a[inner][row] = is_inside ? a[std::size_t(tile.row + row) * shape.inner + k + inner] : 0;
    });
    block.for_each(depth, side, [&](std::uint32_t inner, std::uint32_t column) {
      bool const is_inside = k + inner < shape.inner && tile.column + column < shape.columns;
      slices.b[inner][column] =
          is_inside ? b[std::size_t(k + inner) * shape.columns + tile.column + column] : 0;
    });
  }

  BALLAST_HD static void multiply(scratch const& slices, std::uint32_t item, patch& result) {
    patch sums = result;
    for (std::uint32_t k = 0; k < depth; ++k) {
      std::int32_t of_a[patch_side], of_b[patch_side];
      for (std::uint32_t i = 0; i < patch_side; ++i) {
        of_a[i] = slices.a[k][row_of(item, i)];
        of_b[i] = slices.b[k][column_of(item, i)];
      }
      for (std::uint32_t r = 0; r < patch_side; ++r)
        for (std::uint32_t c = 0; c < patch_side; ++c) sums.sums[r][c] += of_a[r] * of_b[c];
    }
    result = sums;
  }

  BALLAST_HD void store(corner const& tile, std::uint32_t item, patch const& result) const {
    for (std::uint32_t r = 0; r < patch_side; ++r) {
      std::uint32_t const row = tile.row + row_of(item, r);
      if (row >= shape.rows) return;
      for (std::uint32_t i = 0; i < patch_side; ++i) {
        std::uint32_t const column = tile.column + column_of(item, i);
        if (column < shape.columns) c[std::size_t(row) * shape.columns + column] = result.sums[r][i];
      }
    }
  }
};

}  // namespace ballast::matmul
