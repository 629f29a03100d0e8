// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Frontend/ASTUnit.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "source/dialect_files.hpp"

namespace ballast::mesicc {

struct parse_options {
  std::vector<std::string> include_folders = {};
  std::vector<std::string> definitions = {};  ///< NAME or NAME=VALUE
};

/// A program in the dialect as clang has parsed it. Lines, columns and offsets are the user's; only the text
/// of the files that clang has read contains `<<<` for `<<[`.
struct program {
  std::unique_ptr<dialect_files> files = std::make_unique<dialect_files>();
  std::vector<diagnostic> diagnostics = {};   ///< clang's: errors only, since compilers of the result will
                                              ///< warn
  std::unique_ptr<clang::ASTUnit> unit = {};  ///< null if clang could not even begin

  bool has_errors() const { return unit == nullptr || !diagnostics.empty(); }
  clang::ASTContext& context() const { return unit->getASTContext(); }
  clang::SourceManager& sources() const { return unit->getSourceManager(); }
  /// The text as the user wrote it.
  std::string original(clang::FileID file) const;
  /// True if the user wrote `<<[` at a place where clang has seen `<<<`.
  bool is_launch_of_dialect(clang::SourceLocation token) const;
};

/// Reads a file and the headers that it includes. Throws only std::bad_alloc.
program parse_program(std::filesystem::path const& file, parse_options const& options = {});
/// Parses a text without a file, and the headers that it includes. `name` is its name in diagnostics; quoted
/// includes are searched next to that path. Throws only std::bad_alloc.
program parse_text(std::string_view text, std::string const& name, parse_options const& options = {});

}  // namespace ballast::mesicc
