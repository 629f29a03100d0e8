// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ballast/access_map.hpp"
#include "byte_range.hpp"
#include "pitched_run.hpp"

namespace ballast::detail {

/// The bytes of a region of an array, as few runs that one copy each can move. A value.
class byte_runs {
 public:
  byte_runs() = default;  ///< no bytes
  /// `elements` lie within the array, as access_map::of() makes sure; the array's bytes fit in size_t.
  byte_runs(region const& elements, extents const& array, std::size_t element_bytes);

  bool is_empty() const { return runs_.empty(); }
  /// Of the same array: whether they are the same bytes, cut in the same way.
  bool operator==(byte_runs const&) const = default;
  std::size_t bytes() const;
  /// From the first byte to behind the last one.
  byte_range hull() const;
  byte_runs intersect(byte_range bounds) const;
  /// Whether some byte is in both, of the same array. Looks at more than the hulls only where those meet.
  bool overlaps(byte_runs const& other) const;
  /// Normalised, ascending, each ending before the next begins.
  std::vector<pitched_run> const& runs() const { return runs_; }

  /// Calls visit(byte_range) for each stretch of bytes without a gap, ascending.
  template <class F>
  void for_each_interval(F visit) const {
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
