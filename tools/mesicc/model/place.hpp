// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace ballast::mesicc {

/// A place in the user's source.
struct place {
  std::string file;          ///< empty if there is none
  std::uint32_t line = 0;    ///< counted from 1
  std::uint32_t column = 0;  ///< counted from 1
  std::uint32_t offset = 0;  ///< in bytes from the beginning of the file
  std::uint32_t length = 0;  ///< in bytes, to underline it; 0 for its first character only

  auto operator<=>(place const&) const = default;
};

}  // namespace ballast::mesicc
