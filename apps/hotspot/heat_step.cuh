// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "plate.hpp"

namespace ballast::hotspot {

/// step_factors in the precision of the temperatures, float or double, and the step of a cell.
template <class Real>
struct cell_factors {
  Real step_by_capacity, by_ry, by_rx, by_rz;

  explicit cell_factors(step_factors const& of)
      : step_by_capacity(Real(of.step_by_capacity)),
        by_ry(Real(of.by_ry)),
        by_rx(Real(of.by_rx)),
        by_rz(Real(of.by_rz)) {}

  /// The next temperature of a cell with heat `power`, temperature t and these neighbours. The order of the
  /// sums makes the lateral terms exactly 0 if all five temperatures are equal.
  BALLAST_HD Real next(Real power, Real t, Real above, Real below, Real left, Real right) const {
    Real const lateral = (above + below - 2 * t) * by_ry + (left + right - 2 * t) * by_rx;
    return t + step_by_capacity * (power + lateral + (Real(ambient_temperature) - t) * by_rz);
  }
};

/// A time step of Rodinia's hotspot: a block computes 8 rows by 256 columns; blocks count from left to right,
/// then down. A neighbour beyond the plate is the cell itself.
template <class Real>
struct heat_step {
  static constexpr int threads = 256;
  static constexpr std::uint32_t rows_of_unit = 8;  ///< computed by a row of blocks

  array_ref<Real const> temperature, power;
  array_ref<Real> next;
  plate of;
  cell_factors<Real> factors;

  BALLAST_HD static constexpr std::uint32_t blocks_in_a_row(plate const& of) {
    return of.columns / threads + (of.columns % threads != 0);
  }

  BALLAST_HD static constexpr std::uint32_t units(plate const& of) {
    return of.rows / rows_of_unit + (of.rows % rows_of_unit != 0);
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t const across = blocks_in_a_row(of);
    std::uint32_t const row = block.index() / across * rows_of_unit;
    std::uint32_t const column = block.index() % across * threads;
    std::uint32_t const columns = smaller(threads, of.columns - column);
    if constexpr (Block::threads == 1)
      walk_along_rows(row, column, column + columns);
    else
      block.for_each(columns, [&](std::uint32_t i) { walk_down(row, column + i); });
  }

 private:
  BALLAST_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

  /// An element of an input. Nothing writes a job's inputs while it runs, so a GPU may read them through the
  /// read-only cache, and early.
  BALLAST_HD static Real unchanging(Real const& element) {
#if BALLAST_ON_GPU
    return __ldg(&element);
#else
    return element;
#endif
  }

  /// Computes a part of a column. A thread of a GPU walks down and keeps the cells that it passes:
  /// neighbouring threads read neighbouring words.
  BALLAST_HD void walk_down(std::uint32_t row, std::uint32_t column) const {
    std::uint32_t const left = column == 0 ? 0 : column - 1, right = smaller(column + 1, of.columns - 1);
    auto const at = [&](std::uint32_t r, std::uint32_t c) {
      return unchanging(temperature.data()[std::size_t(r) * of.columns + c]);
    };
    Real above = at(row == 0 ? 0 : row - 1, column), t = at(row, column);
#if BALLAST_ON_GPU
#  pragma unroll
#endif
    for (std::uint32_t i = 0; i < rows_of_unit; ++i) {
      std::uint32_t const r = row + i;
      if (r >= of.rows) return;
      Real const below = at(smaller(r + 1, of.rows - 1), column);
      std::size_t const cell = std::size_t(r) * of.columns + column;
      next[cell] = factors.next(unchanging(power.data()[cell]), t, above, below, at(r, left), at(r, right));
      above = t;
      t = below;
    }
  }

  /// The host's thread takes one row after another.
  BALLAST_HD void walk_along_rows(std::uint32_t first_row, std::uint32_t begin, std::uint32_t end) const {
    std::uint32_t const end_row = smaller(first_row + rows_of_unit, of.rows);
    for (std::uint32_t row = first_row; row < end_row; ++row) update_row(row, begin, end);
  }

  /// Computes a part of a row, vectorised except in the first and the last column of the plate.
  BALLAST_HD void update_row(std::uint32_t row, std::uint32_t begin, std::uint32_t end) const {
    auto const* const t = temperature.data() + std::size_t(row) * of.columns;
    auto const* const above = row == 0 ? t : t - of.columns;
    auto const* const below = row + 1 == of.rows ? t : t + of.columns;
    auto const* const heat = power.data() + std::size_t(row) * of.columns;
    auto* const out = next.data() + std::size_t(row) * of.columns;
    auto const update = [=, by = factors](std::uint32_t c, std::uint32_t left, std::uint32_t right) {
      out[c] = by.next(heat[c], t[c], above[c], below[c], t[left], t[right]);
    };
    std::uint32_t const last = of.columns - 1, end_inside = smaller(end, last);
    for (std::uint32_t c = begin == 0 ? 1 : begin; c < end_inside; ++c) update(c, c - 1, c + 1);
    if (begin == 0) update(0, 0, smaller(1, last));
    if (end > last && last > 0) update(last, last - 1, last);
  }
};

}  // namespace ballast::hotspot
