// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <system_error>

#include "ballast/version.hpp"

namespace ballast {

///@{
/// Writes a whole file or nothing: the text goes to a temporary file of unpredictable name in the same
/// directory, which is renamed to `path` once it is on the disk. So a reader never sees half a file, and a
/// failure leaves the old file and no temporary one. An existing file keeps its mode and, if the process has
/// the right to set them, owner and group; a read-only file is refused, for root too. A path that is no
/// regular file (/dev/null, a pipe) is written in place. The last of two concurrent writers of one path
/// wins. Throws ballast::error, one sentence with the path; an exception of `write` passes through, and then
/// nothing is replaced.
BALLAST_API void replace_file(std::filesystem::path const& path,
                              std::function<void(std::ostream&)> const& write);
BALLAST_API void replace_file(std::filesystem::path const& path, std::string_view contents);
///@}

/// Appends the text to a file, which is made if it does not exist, or appends nothing: if the disk is full,
/// the incomplete text is cut off again (a newly made file stays, empty). Only one writer at a time. A path
/// that is no regular file keeps the incomplete text. Throws ballast::error, one sentence with the path and
/// the cause.
BALLAST_API void append_to_file(std::filesystem::path const& path, std::string_view text);

/// Writes and removes a temporary file as replace_file() does, so that an obstacle shows before the work
/// whose result the file will hold. Leaves `path` unchanged, and does nothing if it is no regular file.
/// Throws as replace_file().
BALLAST_API void check_replaceable(std::filesystem::path const& path);

/// While an object of this class lives, replace_file() and check_replaceable() refuse to overwrite files that
/// note_read() recorded. For a program whose user names its input and output files. Only one may exist at a
/// time, in main(); other threads may call replace_file() and note_read() meanwhile.
class BALLAST_API read_files_guard {
 public:
  read_files_guard();
  read_files_guard(read_files_guard const&) = delete;
  read_files_guard& operator=(read_files_guard const&) = delete;
  ~read_files_guard();
};

/// Records that the process reads this file or is about to. Does nothing without a read_files_guard. Any
/// thread may call.
BALLAST_API void note_read(std::filesystem::path const& path);

/// The path by which note_read() recorded the file behind `path`; the two may differ. Nothing if the file was
/// not recorded, or without a read_files_guard. Any thread may call.
BALLAST_API std::optional<std::filesystem::path> noted_as_read(std::filesystem::path const& path);

namespace detail {

/// The absolute path with links and dots resolved, as far as it exists.
inline std::filesystem::path without_links(std::filesystem::path const& path) {
  std::error_code cause;
  auto const whole = std::filesystem::absolute(path, cause);
  auto const found = std::filesystem::weakly_canonical(whole, cause);
  return cause ? whole.lexically_normal() : found;
}

}  // namespace detail

/// True if both paths lead to one file, also through symbolic or hard links. Files that do not exist yet are
/// compared by their paths. Throws nothing.
inline bool is_same_file(std::filesystem::path const& one, std::filesystem::path const& other) {
  std::error_code ignored;
  return detail::without_links(one) == detail::without_links(other) ||
         std::filesystem::equivalent(one, other, ignored);
}

}  // namespace ballast
