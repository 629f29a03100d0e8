// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>
#include <system_error>

namespace ballast {

///@{
/// Writes a whole file or nothing: the text goes to a temporary file beside `path` of a name that nobody can
/// foresee, which takes the name of `path` when the disk has it. So a reader never sees half a file, and a
/// failure leaves the old one and no temporary. An existing file keeps its mode and, as far as the process
/// may do that, owner and group; a read-only one is refused, for root too. What is no regular file
/// (/dev/null, a pipe) is written in place. Throws ballast::error, one sentence with the path; what `write`
/// throws passes through, and nothing is replaced then. Of two writers of one path the last remains.
void replace_file(std::filesystem::path const& path, std::function<void(std::ostream&)> const& write);
void replace_file(std::filesystem::path const& path, std::string_view contents);
///@}

/// Writes and removes such a temporary file, so that what stands in the way of a later replace_file() is
/// known before the work whose result it is to hold. Throws as that does; `path` stays as it is, and what is
/// no regular file is not tried.
void check_replaceable(std::filesystem::path const& path);

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

}  // namespace ballast
