// SPDX-License-Identifier: Apache-2.0
// Sums and products of a sparse matrix's rows, by several ways to share rows among threads.
#pragma once

#include <cstdint>

#include "ballast/segments.cuh"
#include "device/launched.cuh"

namespace ballast::bench {

/// A matrix in CSR form, all on the device: row i has items offsets[i] .. offsets[i + 1] - 1.
struct sparse_matrix {
  std::uint32_t rows, items, columns;
  array_ref<std::uint32_t const> offsets;
  array_ref<float const> values;
  array_ref<std::uint32_t const> column;  ///< of each item
  array_ref<float const> x;               ///< what the product multiplies by
  array_ref<float> y;                     ///< the result of each row
};

/// What is added up of an item.
template <bool Product>
struct row_term {
  sparse_matrix of;
  BALLAST_HD float operator()(std::uint32_t item) const {
    if constexpr (Product)
      return of.values[item] * of.x[of.column[item]];
    else
      return of.values[item];
  }
};

/// A thread adds up a row. For `(rows + 255) / 256` blocks.
template <bool Product>
struct thread_a_row {
  static constexpr int threads = 256;
  row_term<Product> term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(items<threads>, [&](std::uint32_t i) {
      auto const row = block.index() * threads + i;
      if (row >= term.of.rows) return;
      float sum = 0;
      for (auto item = term.of.offsets[row]; item < term.of.offsets[row + 1]; ++item) sum += term(item);
      term.of.y[row] = sum;
    });
  }
};

/// A warp adds up a row. For `(rows + 7) / 8` blocks.
template <bool Product>
struct warp_a_row {
  static constexpr int threads = 256;
  static constexpr std::uint32_t rows_of_block = threads / 32;
  row_term<Product> term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const warp = block.warp();
    for (auto i = warp.index(); i < rows_of_block; i += block.warps()) {
      auto const row = block.index() * rows_of_block + i;
      if (row >= term.of.rows) return;
      auto const first = term.of.offsets[row];
      auto const sum = warp.reduce(term.of.offsets[row + 1] - first, 0.0f,
                                   [&](std::uint32_t item) { return term(first + item); });
      if (warp.lane() == 0) term.of.y[row] = sum;
    }
  }
};

/// A block adds up a row, each thread every 128th item. For `rows` blocks.
template <bool Product>
struct block_a_row {
  static constexpr int threads = 128;
  row_term<Product> term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index(), first = term.of.offsets[row], end = term.of.offsets[row + 1];
    auto const sum = block.reduce(items<threads>, 0.0f, [&](std::uint32_t i) {
      float part = 0;
      for (auto item = first + i; item < end; item += threads) part += term(item);
      return part;
    });
    if (block.rank() == 0) term.of.y[row] = sum;
  }
};

/// The first step of ours, for shares() blocks.
template <bool Product>
struct share_of_rows {
  static constexpr int threads = 256, blocks_per_multiprocessor = 8;
  using scratch = share_memory<float>;
  segments<float> rows;
  row_term<Product> term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    reduce_segments(block, block.scratch(), rows, block.index(), 0, term, plus(),
                    [&](std::uint32_t row, float sum) { term.of.y[row] = sum; });
  }
};

/// The second, for groups() blocks.
struct rows_over_borders {
  static constexpr int threads = 256;
  segments<float> rows;
  array_ref<float> y;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    add_carries(block, rows, block.index(), 0, plus(), [&](std::uint32_t row, float sum) { y[row] += sum; });
  }
};

}  // namespace ballast::bench
