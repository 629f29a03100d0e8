// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "byte_range.hpp"

namespace ballast::detail {

/// `length` bytes from `first` on, `rows` times every `row_pitch` bytes, and that `planes` times every
/// `plane_pitch` bytes: what one copy can move. Pitches are at least what they step over.
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

/// The same bytes in the one form that ballast uses: rows that follow each other without a gap are one, and
/// so are planes; what is there once has a pitch of 0.
pitched_run normalised(pitched_run run);

/// The bytes of `run` within `bounds`, ascending, as at most five normalised runs: part of a row, rows,
/// planes, rows, part of a row.
std::vector<pitched_run> intersection(pitched_run const& run, byte_range bounds);

}  // namespace ballast::detail
