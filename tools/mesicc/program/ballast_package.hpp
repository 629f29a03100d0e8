// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// The compiler and files for a translated program: this build of ballast, or the installed one.
struct ballast_package {
  std::string compiler;            ///< C++ compiler, for packages without GPUs
  std::string nvcc;                ///< empty if the package has no GPU backend
  std::string gpu_architecture;    ///< in the form of nvcc's -arch
  std::vector<std::string> flags;  ///< for the compiler
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::filesystem::path> libraries;  ///< in link order
};

/// Reads lines of `name=value`; paths are relative to `folder`. Throws ballast::error for any other line.
ballast_package read_package(std::istream& text, std::filesystem::path const& folder);

/// This program's package: mesicc.package next to it in a build, or in ../share/ballast if installed. Throws
/// ballast::error if there is none.
ballast_package package_of_this_program();

/// The words of a command that makes `program` from translated files. `further`: flags of the user, which
/// come last.
std::vector<std::string> compile_command(ballast_package const& package,
                                         std::vector<std::filesystem::path> const& sources,
                                         std::filesystem::path const& program,
                                         std::vector<std::string> const& further);

}  // namespace ballast::mesicc
