// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ballast::cli {

/// The folder of this program, in which its fellows `ballast-NAME` lie. Throws ballast::error if it cannot be
/// found out.
std::filesystem::path own_folder();

/// For --help: the programs `ballast-NAME` in `folder`, and those that are known but were not built, with the
/// option that builds them.
std::string list_programs(std::filesystem::path const& folder);

/// Becomes the program `ballast-NAME` of `folder` with the words of `argv` after NAME, which is argv[1];
/// tells it this program's version. Returns only by throwing: bad_argument ("command") if there is no such
/// command, and ballast::error if it was not built or cannot be run.
[[noreturn]] void exec_program(std::filesystem::path const& folder, char** argv);

}  // namespace ballast::cli
