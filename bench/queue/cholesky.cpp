// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "launch/bare_cuda.hpp"
#include "queue/benchmarks.hpp"
#include "queue/copied_in.hpp"
#include "queue/graph_rivals.cuh"
#include "queue/graph_tasks.cuh"
#include "queue/graph_vendors.hpp"

namespace ballast::bench {
namespace {

/// A symmetric matrix, positive definite since its diagonal exceeds the spectral norm of the rest.
struct invented_matrix_to_factor {
  std::uint32_t size;

  double diagonal() const { return 2 * std::sqrt(double(size)); }
  double at(std::uint32_t row, std::uint32_t column) const {
    if (row == column) return diagonal();
    auto const key = std::max(row, column) * 2654435761u ^ std::min(row, column) * 2246822519u;
    return double((key * 2654435761u ^ key >> 13) * 2246822519u >> 16) / 32768 - 1;
  }
};

/// As a product of both with a vector shows.
template <class Factor>
bool is_factor(invented_matrix_to_factor const& of, double epsilon, Factor const& factor) {
  auto const size = of.size;
  std::vector<double> x(size), wanted(size), inner(size), found(size);
  for (std::uint32_t i = 0; i < size; ++i) x[i] = of.at(i + size, i) < 0 ? -1 : 1;
  for (std::uint32_t i = 0; i < size; ++i)
    for (std::uint32_t j = 0; j <= i; ++j) {
      auto const element = of.at(i, j);
      wanted[i] += element * x[j];
      if (i != j) wanted[j] += element * x[i];
      inner[j] += double(factor(i, j)) * x[i];
    }
  double worst = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) found[i] += double(factor(i, j)) * inner[j];
    worst = std::max(worst, std::abs(found[i] - wanted[i]));
    if (!std::isfinite(found[i])) return false;
  }
  return worst <= 256 * epsilon * of.diagonal();
}

/// Pivot by pivot: a tile of the diagonal, the tiles below it, and all tiles to their right.
template <class Tile>
struct factorisation {
  std::vector<typename Tile::step> steps;
  levelled_tasks tasks;

  explicit factorisation(std::uint32_t rows) : rows_(rows), last_(std::size_t(rows) * rows, none) {
    for (std::uint32_t pivot = 0; pivot < rows; ++pivot) {
      tasks.begin_level();
      add(pivot, pivot, pivot, {});
      if (pivot + 1 == rows) break;
      tasks.begin_level();
      for (auto row = pivot + 1; row < rows; ++row) add(row, pivot, pivot, {of(pivot, pivot)});
      tasks.begin_level();
      for (auto row = pivot + 1; row < rows; ++row)
        for (auto column = pivot + 1; column <= row; ++column)
          add(row, column, pivot, {of(row, pivot), of(column, pivot)});
    }
    tasks.begin_level();
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t(0);

  /// The last task that wrote a tile.
  std::uint32_t& of(std::uint32_t row, std::uint32_t column) {
    return last_[std::size_t(row) * rows_ + column];
  }
  void add(std::uint32_t row, std::uint32_t column, std::uint32_t pivot, std::vector<std::uint32_t> after) {
    after.push_back(of(row, column));
    std::erase(after, none);
    of(row, column) = tasks.add(std::move(after), column == pivot ? 40 : 8);
    steps.push_back({std::uint16_t(row), std::uint16_t(column), std::uint16_t(pivot)});
  }

  std::uint32_t rows_;
  std::vector<std::uint32_t> last_;
};

/// A matrix in tiles; a single tile is the whole one.
template <class Number>
std::vector<Number> tiled(invented_matrix_to_factor const& of, std::uint32_t side) {
  std::vector<Number> all(std::size_t(of.size) * of.size);
  auto* next = all.data();
  for (std::uint32_t row = 0; row < of.size; row += side)
    for (std::uint32_t column = 0; column < of.size; column += side)
      for (std::uint32_t i = 0; i < side * side; ++i)
        *next++ = Number(of.at(row + i / side, column + i % side));
  return all;
}

template <class Number>
bool is_factored(invented_matrix_to_factor const& of, std::uint32_t side, std::vector<Number> const& all) {
  auto const tiles = of.size / side;
  auto const factor = [&](std::uint32_t row, std::uint32_t column) {
    auto const tile = std::size_t(row / side) * tiles + column / side;
    return all[(tile * side + row % side) * side + column % side];
  };
  return is_factor(of, std::numeric_limits<Number>::epsilon(), factor);
}

template <class Number>
rival_answer factors_in(copied_in<Number>& all, invented_matrix_to_factor const& of, std::uint32_t side) {
  return {[&all](stream& on) { all.copy_in(on); },
          [&all, of, side](stream& on) { return is_factored(of, side, all.now(on)); },
          "the factor's product with its transpose is the matrix"};
}

template <class Number>
void measure_cusolver(session& now, graph_rivals& rivals, invented_matrix_to_factor const& of) {
  if (!now.first()->is_cuda()) return;
  enter_device(*now.first());
  copied_in<Number> whole(now.first(), tiled<Number>(of, of.size));
  rivals.measure("cuSOLVER", factor_by_cusolver(rivals.on(), whole.all(), of.size),
                 factors_in(whole, of, of.size));
}

template <class Tile, class Number>
void measure_factorisation(session& now, std::string const& name, kernel_set const& set, std::uint32_t rows) {
  invented_matrix_to_factor const matrix{rows * Tile::side};
  factorisation<Tile> made(rows);
  copied_in<Number> tiles(now.first(), tiled<Number>(matrix, Tile::side));
  copied_in<typename Tile::step> const steps(now.first(), made.steps);
  graph_rivals rivals(now, {name, double(matrix.size), "ms", 1e3, std::move(made.tasks),
                            factors_in(tiles, matrix, Tile::side)});
  rivals.measure_all(rival(set, Tile{tiles.all(), steps.constant(), rows}));
  measure_cusolver<Number>(now, rivals, matrix);
  rivals.compare();
}

}  // namespace

/// Not from a paper.
void measure_graph_cholesky(session& now) {
  now.axes("Cholesky factorisation in tiles", "rows of the matrix", "ms", true, true);
  now.repeat(now.quick() ? 1 : 2, now.quick() ? 2 : 9);
  bool const gpu = now.first()->is_cuda();
  auto const rows = std::uint32_t(now.size(gpu ? 64 : 8, 3)),
             small_rows = std::uint32_t(now.size(gpu ? 40 : 10, 4));
  measure_factorisation<factor_tile_of_floats, float>(now, ", float", factor_float_kernels(), rows);
  measure_factorisation<factor_tile_of_doubles, double>(now, ", double", factor_double_kernels(), rows);
  measure_factorisation<factor_small_tile_of_doubles, double>(now, ", double in tiles of 48",
                                                              factor_double_kernels(), small_rows);
}

}  // namespace ballast::bench
