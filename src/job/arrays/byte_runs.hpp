// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/detail/base/free_ranges.hpp"

namespace ballast::detail {

/// True if two ranges have a byte in common. Neither may be empty.
constexpr bool overlap(byte_range one, byte_range other) {
  return one.begin < other.end && other.begin < one.end;
}
/// The bytes in both; empty if there are none.
constexpr byte_range common(byte_range one, byte_range other) {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}
/// The smallest range that contains both.
constexpr byte_range joined(byte_range one, byte_range other) {
  if (one.is_empty()) return other;
  if (other.is_empty()) return one;
  return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
}
/// Adds a range that begins no earlier than the others. Joins it to the last one if the two meet or overlap.
void append(std::vector<byte_range>& to, byte_range more);

/// `length` bytes from `first` on, `rows` times every `row_pitch` bytes, and all of that `planes` times every
/// `plane_pitch` bytes: as much as one copy can move. A pitch is at least the extent of the row or plane.
struct pitched_run {
  std::size_t first = 0, length = 0;
  std::size_t rows = 1, row_pitch = 0;
  std::size_t planes = 1, plane_pitch = 0;

  std::size_t bytes() const { return length * rows * planes; }
  /// From the first row's beginning to the last row's end.
  std::size_t plane_extent() const { return (rows - 1) * row_pitch + length; }
  std::size_t end() const { return first + (planes - 1) * plane_pitch + plane_extent(); }
  bool operator==(pitched_run const&) const = default;
};

/// The unique form of a run's bytes: rows that follow each other without a gap become one, and so do planes;
/// a single row or plane has a pitch of 0.
pitched_run normalised(pitched_run run);

/// The bytes of `run` within `bounds`, ascending, as at most five normalised runs: part of a row, rows,
/// planes, rows, part of a row.
std::vector<pitched_run> intersection(pitched_run const& run, byte_range bounds);

/// The bytes of a region of an array, as a few runs, each of which one copy can move. A value.
class byte_runs {
 public:
  byte_runs() = default;  ///< no bytes
  /// `elements` lie within the array, as access_map::of() guarantees; the array's bytes fit in size_t.
  byte_runs(region const& elements, extents const& array, std::size_t element_bytes);
  /// Ascending ranges of bytes, of any array.
  explicit byte_runs(std::vector<byte_range> const& ranges);

  bool is_empty() const { return runs_.empty(); }
  /// True if both are the same bytes of one array, divided in the same way.
  bool operator==(byte_runs const&) const = default;
  std::size_t bytes() const;
  /// The range from the first byte to the end of the last one.
  byte_range hull() const;
  byte_runs intersect(byte_range bounds) const;
  /// True if both share a byte of the same array. Looks beyond the hulls only if these overlap.
  bool overlaps(byte_runs const& other) const;
  /// Normalised, ascending, each ending before the next begins.
  std::vector<pitched_run> const& runs() const { return runs_; }

  /// Calls visit(byte_range) for each contiguous stretch of bytes, ascending.
  void for_each_interval(auto visit) const {
    for (auto const& run : runs_)
      for (std::size_t plane = 0; plane < run.planes; ++plane)
        for (std::size_t row = 0; row < run.rows; ++row) {
          auto const first = run.first + plane * run.plane_pitch + row * run.row_pitch;
          visit(byte_range{first, first + run.length});
        }
  }

 private:
  explicit byte_runs(std::vector<pitched_run> runs) : runs_(std::move(runs)) {}

  std::vector<pitched_run> runs_;
};

}  // namespace ballast::detail
