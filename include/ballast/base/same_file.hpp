// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace ballast::inline base {

/// The path without links and dots, as far as it leads to something.
inline std::filesystem::path without_links(std::filesystem::path const& path) {
  std::error_code cause;
  auto const whole = std::filesystem::absolute(path, cause);
  auto const found = std::filesystem::weakly_canonical(whole, cause);
  return cause ? whole.lexically_normal() : found;
}

/// Whether both lead to one file, also by way of links, hard ones too; files that are not there yet are known
/// by their names. Throws nothing.
inline bool is_same_file(std::filesystem::path const& one, std::filesystem::path const& other) {
  std::error_code ignored;
  return without_links(one) == without_links(other) || std::filesystem::equivalent(one, other, ignored);
}

}  // namespace ballast::inline base
