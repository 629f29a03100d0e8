// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::md {

/// Cells first .. last, inclusive.
struct cell_range {
  std::int32_t first, last;
};

/// A box cut into nx * ny * nz equal cells, x fastest. Every atom within an edge's length of an atom is in
/// the same cell or one of the cells around it. Trivially copyable: kernels take it by value.
struct cell_grid {
  double low[3];      ///< Angstrom
  double edge[3];     ///< of a cell
  std::int32_t n[3];  ///< cells per side, at least 1
  std::int32_t periodic;

  BALLAST_HD std::int32_t cells() const { return n[0] * n[1] * n[2]; }

  /// The cell along one side that contains a coordinate; coordinates outside the box belong to the nearest
  /// cell.
  BALLAST_HD std::int32_t along(int axis, double coordinate) const {
    double const cell = (coordinate - low[axis]) / edge[axis];
    if (!(cell > 0)) return 0;
    return cell < n[axis] ? static_cast<std::int32_t>(cell) : n[axis] - 1;
  }
  BALLAST_HD std::int32_t cell_of(double x, double y, double z) const {
    return (along(2, z) * n[1] + along(1, y)) * n[0] + along(0, x);
  }

  /// The neighbours of cell c of one side are c + first .. c + last, wrapped if periodic; each once.
  BALLAST_HD std::int32_t first_offset(int axis, std::int32_t c) const {
    if (periodic) return n[axis] >= 3 ? -1 : -c;
    return c > 0 ? -1 : 0;
  }
  BALLAST_HD std::int32_t last_offset(int axis, std::int32_t c) const {
    if (periodic) return n[axis] >= 3 ? 1 : n[axis] - 1 - c;
    return c < n[axis] - 1 ? 1 : 0;
  }
  BALLAST_HD std::int32_t wrapped(int axis, std::int32_t c) const {
    return c < 0 ? c + n[axis] : c >= n[axis] ? c - n[axis] : c;
  }

  /// The number of ranges that cover the cells around column x in a row that starts with cell `row`: one, and
  /// a second one if a periodic box wraps around.
  BALLAST_HD std::int32_t count_ranges(std::int32_t x) const {
    return x + first_offset(0, x) < 0 || x + last_offset(0, x) >= n[0] ? 2 : 1;
  }
  BALLAST_HD cell_range range_of_row(std::int32_t row, std::int32_t x, std::int32_t which) const {
    std::int32_t const begin = x + first_offset(0, x), end = x + last_offset(0, x);
    if (begin < 0)
      return which == 0 ? cell_range{row, row + end} : cell_range{row + n[0] - 1, row + n[0] - 1};
    if (end >= n[0]) return which == 0 ? cell_range{row, row} : cell_range{row + begin, row + n[0] - 1};
    return {row + begin, row + end};
  }

  /// Calls f(first cell, last cell) for each range of cells around `cell`, always in the same order.
  template <class F>
  BALLAST_HD void for_each_range_around(std::int32_t cell, F&& f) const {
    std::int32_t const x = cell % n[0], y = cell / n[0] % n[1], z = cell / n[0] / n[1];
    std::int32_t const ranges = count_ranges(x);
    for (std::int32_t dz = first_offset(2, z); dz <= last_offset(2, z); ++dz) {
      for (std::int32_t dy = first_offset(1, y); dy <= last_offset(1, y); ++dy) {
        std::int32_t const row = (wrapped(2, z + dz) * n[1] + wrapped(1, y + dy)) * n[0];
        for (std::int32_t which = 0; which < ranges; ++which) {
          auto const range = range_of_row(row, x, which);
          f(range.first, range.last);
        }
      }
    }
  }
};

}  // namespace ballast::md
