// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ballast::cli {

/// The folder of this program and its companions `ballast-NAME`. Throws ballast::error if it cannot be
/// determined.
std::filesystem::path own_folder();

/// For --help: the programs `ballast-NAME` in `folder`, and known ones that were not built, with the option
/// that builds them.
std::string list_programs(std::filesystem::path const& folder);

/// The file of the program `ballast-NAME` in `folder`. Throws bad_argument ("command") if there is no such
/// command, and suggests one that is near, also among `own_commands`; ballast::error if it was not built.
std::filesystem::path program_file(std::filesystem::path const& folder, std::string const& name,
                                   std::vector<std::string> const& own_commands = {});

/// The files of ballast's own programs in `folder`, which print their options on request.
std::vector<std::filesystem::path> known_programs_in(std::filesystem::path const& folder);

/// Passes this program's version to the programs that it starts from now on, which must have the same one.
void announce_version();

/// Becomes the program `ballast-NAME` of `folder` with the words of `argv` after NAME, which is argv[1];
/// passes on this program's version. Returns only by throwing: as program_file(), and ballast::error if it
/// cannot be run.
[[noreturn]] void exec_program(std::filesystem::path const& folder, char** argv,
                               std::vector<std::string> const& own_commands = {});

}  // namespace ballast::cli
