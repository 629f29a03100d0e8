// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "ballast/device/launch_shape.hpp"

namespace ballast::inline job {

/// The dimension along which a job is cut: its indices are the job's units. `slowest` is the last of z, y, x
/// that has more than one block, so that the blocks of a part follow each other.
enum class cut : std::uint8_t { slowest, x, y, z };

/// The units first to first + count - 1 of a job; nothing if count is 0.
struct job_part {
  std::uint32_t first = 0, count = 0;

  constexpr bool operator==(job_part const&) const = default;
};

/// How many blocks a job has in each dimension, and along which it is cut. A unit is one index of that
/// dimension with all its blocks. A value; any thread may call.
class job_grid {
 public:
  /// Made implicitly from one to three counts, from 0 to 2 147 483 647; a job without blocks does nothing.
  /// Throws bad_argument ("grid").
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  job_grid(X x, Y y = 1, Z z = 1) : job_grid(launch_extent(x, y, z)) {}
  /// Likewise, cut along a dimension.
  job_grid(launch_extent blocks, cut along = cut::slowest);

  launch_extent const& blocks() const { return blocks_; }
  /// The dimension that is cut, never `slowest`.
  cut along() const { return along_; }
  /// The indices of that dimension; 0 if the grid has no blocks.
  std::uint32_t units() const;
  /// 0 if the grid has no blocks.
  std::uint64_t blocks_of_unit() const;

  bool operator==(job_grid const&) const = default;

 private:
  launch_extent blocks_;
  cut along_;
};

}  // namespace ballast::inline job
