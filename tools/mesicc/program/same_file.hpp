// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ballast::mesicc {

/// However they are spelt, and through links.
inline bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

}  // namespace ballast::mesicc
