// SPDX-License-Identifier: Apache-2.0
// What a task does in the graphs of wavefront.cpp, cholesky.cpp and solve.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::bench {

/// Aligns a part of one sequence with a part of another, as Needleman and Wunsch do: 2 for a match, -1 for a
/// mismatch and for each gap.
struct align_tile {
  static constexpr int threads = 32;
  static constexpr std::uint32_t side = 32, border = 2 * side;
  static constexpr std::int32_t match = 2, mismatch = -1, gap = -1;
  struct place {
    std::uint16_t row, column;
    std::uint32_t passes;  ///< how often the task computes its tile
  };
  struct scratch {
    std::int32_t score[side + 1][side + 1];
  };

  array_ref<std::uint8_t const> first, second;
  array_ref<std::int32_t> borders;  ///< of each tile, row by row: its last row, then its last column
  array_ref<place const> places;    ///< of the tasks
  std::uint32_t tiles;              ///< a side

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const at = places[block.index()];
    for (std::uint32_t pass = 0; pass < at.passes; ++pass) {
      load(block, at);
      block.sync();
      score(block, at);
    }
    auto const& all = block.scratch().score;
    block.for_each(items<side>, [&](std::uint32_t i) {
      auto const mine = border_of(at.row, at.column);
      borders[mine + i] = all[side][i + 1];
      borders[mine + side + i] = all[i + 1][side];
    });
  }

 private:
  BALLAST_HD std::size_t border_of(std::uint32_t row, std::uint32_t column) const {
    return (std::size_t(row) * tiles + column) * border;
  }
  template <class Block>
  BALLAST_HD void load(Block& block, place at) const {
    auto& all = block.scratch().score;
    block.for_each(items<side>, [&](std::uint32_t i) {
      all[0][i + 1] = above(at, i);
      all[i + 1][0] = before(at, i);
      if (i == 0) all[0][0] = corner(at);
    });
  }
  BALLAST_HD std::int32_t above(place at, std::uint32_t i) const {
    if (at.row == 0) return gap * std::int32_t(at.column * side + i + 1);
    return borders[border_of(at.row - 1u, at.column) + i];
  }
  BALLAST_HD std::int32_t before(place at, std::uint32_t i) const {
    if (at.column == 0) return gap * std::int32_t(at.row * side + i + 1);
    return borders[border_of(at.row, at.column - 1u) + side + i];
  }
  BALLAST_HD std::int32_t corner(place at) const {
    if (at.row == 0 || at.column == 0) return gap * std::int32_t((at.row + at.column) * side);
    return borders[border_of(at.row - 1u, at.column - 1u) + side - 1];
  }
  /// One diagonal of the tile after another.
  template <class Block>
  BALLAST_HD void score(Block& block, place at) const {
    auto& all = block.scratch().score;
    for (std::uint32_t diagonal = 0; diagonal < 2 * side - 1; ++diagonal) {
      block.for_each(items<side>, [&](std::uint32_t i) {
        auto const j = diagonal - i;
        if (j >= side) return;
        bool const same = first[at.row * side + i] == second[at.column * side + j];
        auto const through = all[i][j] + (same ? match : mismatch);
        auto const past = (all[i][j + 1] < all[i + 1][j] ? all[i + 1][j] : all[i][j + 1]) + gap;
        all[i + 1][j + 1] = through < past ? past : through;
      });
      block.sync();
    }
  }
};

/// A step of a tiled Cholesky factorisation in place: factors a tile of the diagonal, solves for a tile below
/// it, or subtracts the product of two such tiles from a third.
template <class Number, std::uint32_t Side>
struct factor_tile {
  static constexpr int threads = 256, blocks_per_multiprocessor = 2;  ///< so that sums fit into registers
  static constexpr std::uint32_t side = Side, lanes = 16, strip = side / lanes, depth = 16;
  static constexpr std::size_t elements = std::size_t(side) * side;
  struct step {
    std::uint16_t row, column, pivot;  ///< row >= column >= pivot
  };
  struct scratch {
    Number at[side][side + 1];
  };

  array_ref<Number> tiles;  ///< row by row, as are the elements of each
  array_ref<step const> steps;
  std::uint32_t rows;  ///< of tiles

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const at = steps[block.index()];
    if (at.column == at.pivot)
      solve(block, at);
    else
      subtract(block, at);
  }

 private:
  BALLAST_HD array_ref<Number> tile(std::uint32_t row, std::uint32_t column) const {
    return tiles.from((std::size_t(row) * rows + column) * elements);
  }
  /// Column k of a tile is left as it is until the end, so that a step needs one sync.
  template <class Block>
  BALLAST_HD void solve(Block& block, step at) const {
    bool const is_diagonal = at.row == at.column;
    auto const mine = tile(at.row, at.column), factor = tile(at.column, at.column);
    auto& all = block.scratch().at;
    auto const pivot = [&](std::uint32_t k) { return is_diagonal ? all[k][k] : factor[k * side + k]; };
    block.for_each(items<std::uint32_t(elements)>,
                   [&](std::uint32_t i) { all[i / side][i % side] = mine[i]; });
    block.sync();
    for (std::uint32_t k = 0; k < side; ++k) {
      auto const inverse = 1 / pivot(k);
      block.for_each(items<lanes * lanes>, [&](std::uint32_t item) {
        for (std::uint32_t b = (k + 1) / lanes; b < strip; ++b) {
          auto const column = item % lanes + b * lanes;
          if (column <= k) continue;
          auto const share = (is_diagonal ? all[column][k] : factor[column * side + k]) * inverse;
          for (std::uint32_t a = 0; a < strip; ++a) {
            auto const row = item / lanes + a * lanes;
            if (!is_diagonal || row >= column) all[row][column] -= all[row][k] * share;
          }
        }
      });
      block.sync();
    }
    block.for_each(items<std::uint32_t(elements)>, [&](std::uint32_t i) {
      auto const k = i % side;
      mine[i] = all[i / side][k] / (is_diagonal ? std::sqrt(pivot(k)) : pivot(k));
    });
  }
  template <class Block>
  BALLAST_HD void subtract(Block& block, step at) const {
    struct sums {
      Number of[strip][strip];
    };
    auto const mine = tile(at.row, at.column), left = tile(at.row, at.pivot),
               right = tile(at.column, at.pivot);
    auto& all = block.scratch().at;
    per_item<sums, lanes * lanes, Block> sum;
    block.for_each(items<lanes * lanes>, [&](std::uint32_t item) { sum[item] = {}; });
    for (std::uint32_t first = 0; first < side; first += depth) {
      block.for_each(items<side * depth>, [&](std::uint32_t i) {
        auto const from = i / depth * side + first + i % depth;
        all[i % depth][i / depth] = left[from];
        all[depth + i % depth][i / depth] = right[from];
      });
      block.sync();
      block.for_each(items<lanes * lanes>, [&](std::uint32_t item) { add_slice(all, item, sum[item].of); });
      block.sync();
    }
    block.for_each(items<lanes * lanes>, [&](std::uint32_t item) {
      for (std::uint32_t a = 0; a < strip; ++a)
        for (std::uint32_t b = 0; b < strip; ++b)
          mine[(item / lanes + a * lanes) * side + item % lanes + b * lanes] -= sum[item].of[a][b];
    });
  }
  BALLAST_HD static void add_slice(Number const (&all)[side][side + 1], std::uint32_t item,
                                   Number (&sum)[strip][strip]) {
    for (std::uint32_t k = 0; k < depth; ++k)
      for (std::uint32_t a = 0; a < strip; ++a)
        for (std::uint32_t b = 0; b < strip; ++b)
          sum[a][b] += all[k][item / lanes + a * lanes] * all[depth + k][item % lanes + b * lanes];
  }
};
using factor_tile_of_floats = factor_tile<float, 64>;
using factor_tile_of_doubles = factor_tile<double, 64>;
using factor_small_tile_of_doubles = factor_tile<double, 48>;

/// Solves rows of a lower triangular matrix that need no result of each other, a thread for each row. Where
/// launches overlap, prepare() reads all but x while the level before still runs.
struct solve_rows {
  static constexpr int threads = 128;
  static constexpr std::uint32_t most = 4, no_column = ~std::uint32_t(0);  ///< factors of a row
  struct scratch {
    std::uint32_t column[most][threads];
    double number[most + 2][threads];
  };

  array_ref<std::uint32_t const> columns;  ///< `most` of each row: all first ones, then all second ones ...
  array_ref<double const> numbers;         ///< likewise the factors, the diagonal and the right-hand side
  array_ref<double> x;
  array_ref<std::uint32_t const> first_row;  ///< of each task, then the number of rows
  std::uint32_t rows;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    auto& all = block.scratch();
    auto const begin = first_row[block.index()], end = first_row[block.index() + 1];
    block.for_each(items<threads>, [&](std::uint32_t i) {
      if (begin + i >= end) return;
      for (std::uint32_t at = 0; at < most; ++at)
        all.column[at][i] = columns[std::size_t(at) * rows + begin + i];
      for (std::uint32_t at = 0; at < most + 2; ++at)
        all.number[at][i] = numbers[std::size_t(at) * rows + begin + i];
    });
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const& all = block.scratch();
    auto const begin = first_row[block.index()], end = first_row[block.index() + 1];
    block.for_each(items<threads>, [&](std::uint32_t i) {
      if (begin + i >= end) return;
      double known[most], value = all.number[most + 1][i];
      for (std::uint32_t at = 0; at < most; ++at)
        known[at] = all.column[at][i] == no_column ? 0 : x[all.column[at][i]];
      for (std::uint32_t at = 0; at < most; ++at) value -= all.number[at][i] * known[at];
      x[begin + i] = value / all.number[most][i];
    });
  }
};

/// The same without prepare().
struct solve_rows_at_once {
  static constexpr int threads = solve_rows::threads;
  using scratch = solve_rows::scratch;
  solve_rows rows;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    rows.prepare(block);
    rows(block);
  }
};

///@{
/// For queues, one kernel in each where a set of several would have more registers.
kernel_set const& align_kernels();
kernel_set const& factor_float_kernels();
kernel_set const& factor_double_kernels();
kernel_set const& solve_row_kernels();
///@}

}  // namespace ballast::bench
