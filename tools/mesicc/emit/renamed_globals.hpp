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

/// Variables and enumerators outside of functions, classes and namespaces that are called as something of the
/// C library is: `int time;`, where the program includes no header that declares it. The result includes
/// more headers, so that they get another name in it, the same in all files: time_of_program.
class renamed_globals {
 public:
  explicit renamed_globals(clang::ASTContext& context);

  /// "time_of_program", or as it is.
  std::string name_of(clang::NamedDecl const& declared) const;
  std::string qualified_name(clang::NamedDecl const& declared) const;
  /// Whether a text of C++ has one of their names, perhaps for something else.
  bool are_named_in(std::string const& text) const;
  /// Those whose new name the program has for something else.
  std::vector<clang::NamedDecl const*> without_a_name() const;
  /// After all other changes: where host code and declarations name them. Shared variables are parameters in
  /// kernels and `__device__` functions, which keep their names.
  void rewrite(source_rewriter& rewriter) const;

 private:
  class finder;
  class user;

  clang::ASTContext& context_;
  std::map<clang::Decl const*, std::string> names_;  ///< by canonical declaration
  std::set<std::string> taken_;                      ///< "time"
};

}  // namespace ballast::mesicc
