// SPDX-License-Identifier: Apache-2.0
// Sums and products of a sparse matrix's rows, by several ways to share rows
// among threads.
#pragma once

#include <cstdint>

#include "ballast/segments.cuh"
#include "device/launched.cuh"

namespace ballast::bench {

/// A matrix in CSR form, all on the device: row i has items offsets[i] ..
/// offsets[i + 1] - 1.
struct sparse_matrix {
  std::uint32_t rows, items, columns;
  array_ref<std::uint32_t const> offsets;
  array_ref<float const> values;
  array_ref<std::uint32_t const> column;  ///< of each item
  array_ref<float const> x;               ///< what the product multiplies by
  array_ref<float> y;                     ///< the result of each row
};

/// What is added up of an item, and what becomes of a row's sum, of which add()
/// gets a part.
template <bool Product>
struct row_term {
  sparse_matrix of;
  BALLAST_HD float operator()(std::uint32_t item) const {
    if constexpr (Product)
      return of.values[item] * of.x[of.column[item]];
    else
      return of.values[item];
  }
  BALLAST_HD void store(std::uint32_t row, float sum) const { of.y[row] = sum; }
  BALLAST_HD void add(std::uint32_t row, float sum) const { of.y[row] += sum; }
};

/// Of PageRank.
inline constexpr float damping = 0.85f;

/// A step of PageRank as examples/11_page_rank has it: a row is a page, its
/// items are the links that lead to it, `column` is where a link comes from, x
/// and y are ranks.
struct rank_term {
  sparse_matrix of;
  array_ref<std::uint32_t const> links_of;  ///< how many links a page has
  BALLAST_HD float operator()(std::uint32_t link) const {
    auto const from = of.column[link];
    return of.x[from] / float(links_of[from]);
  }
  BALLAST_HD void store(std::uint32_t page, float sum) const {
    of.y[page] = (1 - damping) / float(of.rows) + damping * sum;
  }
  BALLAST_HD void add(std::uint32_t page, float sum) const { of.y[page] += damping * sum; }
};

/// The same where x and y are ranks that are divided by the page's links
/// already, once for a page.
struct divided_rank_term {
  sparse_matrix of;
  array_ref<float const> part;  ///< of a page's rank that each of its links carries
  BALLAST_HD float operator()(std::uint32_t link) const { return of.x[of.column[link]]; }
  BALLAST_HD void store(std::uint32_t page, float sum) const {
    of.y[page] = ((1 - damping) / float(of.rows) + damping * sum) * part[page];
  }
  BALLAST_HD void add(std::uint32_t page, float sum) const { of.y[page] += damping * sum * part[page]; }
};

/// A thread adds up a row. For `(rows + 255) / 256` blocks.
template <class Term>
struct thread_a_row {
  static constexpr int threads = 256;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(items<threads>, [&](std::uint32_t i) {
      auto const row = block.index() * threads + i;
      if (row >= term.of.rows) return;
      float sum = 0;
      for (auto item = term.of.offsets[row]; item < term.of.offsets[row + 1]; ++item) sum += term(item);
      term.store(row, sum);
    });
  }
};

/// A warp adds up a row. For `(rows + 7) / 8` blocks.
template <class Term>
struct warp_a_row {
  static constexpr int threads = 256;
  static constexpr std::uint32_t rows_of_block = threads / 32;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const warp = block.warp();
    for (auto i = warp.index(); i < rows_of_block; i += block.warps()) {
      auto const row = block.index() * rows_of_block + i;
      if (row >= term.of.rows) return;
      auto const first = term.of.offsets[row];
      auto const sum = warp.reduce(term.of.offsets[row + 1] - first, 0.0f,
                                   [&](std::uint32_t item) { return term(first + item); });
      if (warp.lane() == 0) term.store(row, sum);
    }
  }
};

/// A block adds up a row, each thread every 128th item. For `rows` blocks.
template <class Term>
struct block_a_row {
  static constexpr int threads = 128;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index(), first = term.of.offsets[row], end = term.of.offsets[row + 1];
    auto const sum = block.reduce(items<threads>, 0.0f, [&](std::uint32_t i) {
      float part = 0;
      for (auto item = first + i; item < end; item += threads) part += term(item);
      return part;
    });
    if (block.rank() == 0) term.store(row, sum);
  }
};

/// The first step of ours, for shares() blocks.
template <class Term>
struct share_of_rows {
  static constexpr int threads = 256, blocks_per_multiprocessor = 8;
  using scratch = share_memory<float>;
  segments<float> rows;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    reduce_segments(block, block.scratch(), rows, block.index(), 0, term, plus(),
                    [&](std::uint32_t row, float sum) { term.store(row, sum); });
  }
};

/// The second, for groups() blocks.
template <class Term>
struct rows_over_borders {
  static constexpr int threads = 256;
  segments<float> rows;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    add_carries(block, rows, block.index(), 0, plus(),
                [&](std::uint32_t row, float sum) { term.add(row, sum); });
  }
};

/// Puts both steps of ours on the stream.
template <class Term>
void start_shares(stream& on, segments<float> const& rows, Term const& term) {
  start(on, rows.shares(), share_of_rows<Term>{rows, term});
  start(on, rows.groups(), rows_over_borders<Term>{rows, term});
}

}  // namespace ballast::bench
