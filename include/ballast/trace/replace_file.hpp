// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

namespace ballast::inline trace {

/// Writes a whole file or nothing: the text goes to a temporary file beside `path`, which then takes its
/// name, so a reader never sees half a file and a failure leaves the old one. What is no regular file
/// (/dev/null, a pipe) is written in place. Throws ballast::error, one sentence with the path; what `write`
/// throws passes through, and nothing is replaced then. Two writers of one path in one process are the
/// caller's to order.
void replace_file(std::filesystem::path const& path, std::function<void(std::ostream&)> const& write);
void replace_file(std::filesystem::path const& path, std::string_view contents);

/// Writes and removes such a temporary file, so that what stands in the way of a later replace_file() is
/// known before the work whose result it is to hold. Throws as that does; `path` stays as it is, and what is
/// no regular file is not tried.
void require_replaceable(std::filesystem::path const& path);

}  // namespace ballast::inline trace
