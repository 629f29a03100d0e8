// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "byte_range.hpp"

namespace ballast::detail {

/// Bytes of an array that a unit of a job touches.
struct touched_bytes {
  byte_range bytes;
  std::uint32_t unit = 0;
  bool written = false;
};

/// A byte that two units touch and one of them writes.
struct common_byte {
  std::size_t byte = 0;
  std::uint32_t first_unit = 0, second_unit = 0;  ///< ascending

  bool operator==(common_byte const&) const = default;
};

/// The first one, of `touched` in any order; none of them is empty.
std::optional<common_byte> first_common_byte(std::vector<touched_bytes> touched);

}  // namespace ballast::detail
