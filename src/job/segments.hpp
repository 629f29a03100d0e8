// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arena.hpp"
#include "byte_range.hpp"
#include "ids.hpp"

namespace ballast::detail {

using segment_id = strong_id<struct segment_tag, std::uint64_t>;

/// Bytes of an array and the memory that they have on a device.
struct segment {
  segment_id id;
  array_id array;
  byte_range bytes;
  byte_range memory;          ///< memory_of(bytes)
  std::uint32_t pins = 0;     ///< tasks that use it
  std::uint64_t used_at = 0;  ///< grows with each task; the least was used longest ago

  /// Where a byte of the array lies.
  std::size_t offset_of(std::size_t byte) const {
    return memory.begin + (byte - bytes.begin / memory_alignment * memory_alignment);
  }
};

/// The segments of one device: those of an array have no byte in common. A value.
class segments {
 public:
  std::vector<segment> const& all() const { return all_; }
  /// The one that has all of the bytes; null if there is none.
  segment const* holding(array_id array, byte_range bytes) const;
  std::vector<segment> overlapping(array_id array, byte_range bytes) const;
  std::vector<segment> of(array_id array) const;
  /// Null if there is none of that id.
  segment* find(segment_id id);

  /// The bytes lie in no segment of the array. Throws bad_argument ("bytes").
  segment_id add(array_id array, byte_range bytes, byte_range memory);
  /// Takes bytes away that are the first or the last of a segment, or all: then there is no such segment any
  /// more. Returns the memory that is left over. Throws bad_argument ("segment", "bytes").
  byte_range cut(segment_id id, byte_range bytes);
  /// Returns its memory. Throws bad_argument ("segment").
  byte_range remove(segment_id id);

 private:
  segment& at(segment_id id);

  std::vector<segment> all_;
  std::uint64_t newest_ = 0;
};

}  // namespace ballast::detail
