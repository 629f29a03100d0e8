// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/source_rewriter.hpp"

namespace ballast::mesicc {

/// Variables and enumerators outside of functions, classes and namespaces that share a name with something in
/// the C library: `int time;`, where the program includes no header that declares time. The result includes
/// more headers, so they get another name in it, the same in all files: time_of_program.
class renamed_globals {
 public:
  explicit renamed_globals(clang::ASTContext& context);

  /// "time_of_program", or the unchanged name.
  std::string name_of(clang::NamedDecl const& declared) const;
  std::string qualified_name(clang::NamedDecl const& declared) const;
  /// True if a C++ text contains one of the names of these variables and enumerators, for whatever entity.
  bool are_named_in(std::string const& text) const;
  /// The declarations whose new name the program uses for something else.
  std::vector<clang::NamedDecl const*> without_a_name() const;
  /// Renames these variables and enumerators in host code and declarations; call it after all other rewrites.
  /// Kernels and `__device__` functions get shared variables as parameters, which keep the old names.
  void rewrite(source_rewriter& rewriter) const;

 private:
  class finder;
  class user;

  clang::ASTContext& context_;
  std::map<clang::Decl const*, std::string> names_;  ///< by canonical declaration
  std::set<std::string> taken_;                      ///< "time"
};

}  // namespace ballast::mesicc
