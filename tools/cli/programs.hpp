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

/// The file of the program `ballast-NAME` of `folder`. Throws bad_argument ("command") if there is no such
/// command, and ballast::error if it was not built.
std::filesystem::path program_file(std::filesystem::path const& folder, std::string const& name);

/// Tells the programs that this one starts from now on its version, which must be theirs.
void announce_version();

/// Becomes the program `ballast-NAME` of `folder` with the words of `argv` after NAME, which is argv[1];
/// tells it this program's version. Returns only by throwing: what program_file() throws, and ballast::error
/// if it cannot be run.
[[noreturn]] void exec_program(std::filesystem::path const& folder, char** argv);

}  // namespace ballast::cli
