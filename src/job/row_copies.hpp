// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ballast/stream.hpp"
#include "working_set.hpp"

namespace ballast::detail {

/// One copy of equal rows, as a stream takes it.
struct row_copy {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t row_bytes = 0, rows = 1;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< where there are several rows

  bool operator==(row_copy const&) const = default;
};

/// Where bytes of an array lie at a place.
struct placed_bytes {
  std::byte* memory = nullptr;         ///< that the offsets count from
  std::vector<located_bytes> located;  ///< ascending
};

/// Adds what copies the bytes that are located at both; rows that follow each other evenly become one.
void add_copies(std::vector<row_copy>& copies, placed_bytes const& from, placed_bytes const& to);
void enqueue(std::vector<row_copy> const& copies, stream& on);

}  // namespace ballast::detail
