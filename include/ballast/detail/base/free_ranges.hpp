// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace ballast::detail {

/// Bytes of a memory, or of a flattened array: half open; empty if end <= begin.
struct byte_range {
  std::size_t begin = 0, end = 0;

  constexpr bool is_empty() const { return end <= begin; }
  constexpr std::size_t size() const { return is_empty() ? 0 : end - begin; }
  constexpr bool operator==(byte_range const&) const = default;
};

/// The free bytes of a memory block; adjacent ranges are joined. A value.
class free_ranges {
 public:
  explicit free_ranges(std::size_t bytes) { give_back({0, bytes}); }

  /// Takes `bytes` from the beginning of the smallest range that is large enough, the first among equals.
  /// Returns nothing if there is none, and an empty range for 0 bytes.
  std::optional<byte_range> take(std::size_t bytes);
  /// Makes these bytes free again. Throws bad_argument ("bytes") if some of them are free already.
  void give_back(byte_range bytes);
  std::size_t bytes() const;

 private:
  std::map<std::size_t, std::size_t> ends_;  ///< by begin
};

}  // namespace ballast::detail
