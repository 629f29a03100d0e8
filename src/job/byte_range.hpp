// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace ballast::detail {

/// Bytes of a flattened array: half open; empty if end <= begin.
struct byte_range {
  std::size_t begin = 0, end = 0;

  constexpr bool is_empty() const { return end <= begin; }
  constexpr std::size_t size() const { return is_empty() ? 0 : end - begin; }
  constexpr bool operator==(byte_range const&) const = default;
};

/// Whether they have a byte in common; neither is empty.
constexpr bool overlap(byte_range one, byte_range other) {
  return one.begin < other.end && other.begin < one.end;
}
/// Empty if there is none.
constexpr byte_range common(byte_range one, byte_range other) {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}
/// The smallest range that holds both.
constexpr byte_range joined(byte_range one, byte_range other) {
  if (one.is_empty()) return other;
  if (other.is_empty()) return one;
  return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
}

}  // namespace ballast::detail
