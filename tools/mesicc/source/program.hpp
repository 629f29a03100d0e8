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

/// A program in the dialect as clang has understood it. Lines, columns and offsets are the user's; only the
/// text of the files that clang has read says `<<<` for `<<[`.
struct program {
  std::unique_ptr<dialect_files> files = std::make_unique<dialect_files>();
  std::vector<diagnostic> diagnostics = {};   ///< of clang: errors only, as compilers of the result will warn
  std::unique_ptr<clang::ASTUnit> unit = {};  ///< null where clang could not even begin

  bool has_errors() const { return unit == nullptr || !diagnostics.empty(); }
  clang::ASTContext& context() const { return unit->getASTContext(); }
  clang::SourceManager& sources() const { return unit->getSourceManager(); }
  /// As the user wrote it.
  std::string original(clang::FileID file) const;
  /// Whether `<<[` was written at a place of a file, where clang has seen `<<<`.
  bool is_launch_of_dialect(clang::SourceLocation token) const;
};

/// Reads a file and the headers that it includes. Throws nothing but std::bad_alloc.
program parse_program(std::filesystem::path const& file, parse_options const& options = {});
/// Reads a text that is in no file, and the headers that it includes. `name` is what diagnostics call it;
/// what it includes in quotes is looked for beside that path. Throws nothing but std::bad_alloc.
program parse_text(std::string_view text, std::string const& name, parse_options const& options = {});

}  // namespace ballast::mesicc
