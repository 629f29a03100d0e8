// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ballast::cli {

/// The folder of this program, in which its fellows `ballast-NAME` lie. Throws ballast::error if it cannot be
/// found out.
std::filesystem::path own_folder();

/// For --help: the programs `ballast-NAME` in `folder`, and those that are known but were not built, with the
/// option that builds them.
std::string list_programs(std::filesystem::path const& folder);

/// The file of the program `ballast-NAME` of `folder`. Throws bad_argument ("command") if there is no such
/// command, asking for one that is near, of `ballast` itself (`own_commands`) too, and ballast::error if it
/// was not built.
std::filesystem::path program_file(std::filesystem::path const& folder, std::string const& name,
                                   std::vector<std::string> const& own_commands = {});

/// The files of those programs of `folder` that belong to ballast, which tell their options if they are
/// asked.
std::vector<std::filesystem::path> known_programs_in(std::filesystem::path const& folder);

/// Tells the programs that this one starts from now on its version, which must be theirs.
void announce_version();

/// Becomes the program `ballast-NAME` of `folder` with the words of `argv` after NAME, which is argv[1];
/// tells it this program's version. Returns only by throwing: what program_file() throws, and ballast::error
/// if it cannot be run.
[[noreturn]] void exec_program(std::filesystem::path const& folder, char** argv,
                               std::vector<std::string> const& own_commands = {});

}  // namespace ballast::cli
