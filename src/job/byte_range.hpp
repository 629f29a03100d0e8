// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ballast::inline job {

/// Bytes of a flattened array: half open; empty if end <= begin.
struct byte_range {
  std::size_t begin = 0, end = 0;

  constexpr bool is_empty() const { return end <= begin; }
  constexpr std::size_t size() const { return is_empty() ? 0 : end - begin; }
  constexpr bool operator==(byte_range const&) const = default;
};

}  // namespace ballast::inline job
