// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <map>
#include <set>
#include <vector>

namespace ballast::mesicc {

/// Which host code may launch a kernel: itself, or through functions that it calls or names. Functions of
/// other files and calls by pointers may; functions of system headers may not, except through their
/// arguments.
class launching_functions {
 public:
  explicit launching_functions(clang::ASTContext& context);

  bool may_launch(clang::FunctionDecl const* function) const {
    return launching_.contains(canonical(function));
  }
  /// True if a launch may happen within `scope` at or after `begin`.
  bool may_launch_within(clang::Stmt const* scope, clang::SourceLocation begin) const;

 private:
  class collector;
  static clang::FunctionDecl const* canonical(clang::FunctionDecl const* function) {
    return function->getCanonicalDecl();
  }
  bool launches(clang::Stmt const* statement) const;
  clang::FunctionDecl const* named_by(clang::Stmt const* statement) const;
  bool is_call_of_unknown(clang::Stmt const* statement) const;
  bool destroys_or_makes_launching(clang::Stmt const* statement) const;
  bool hands_launching_to_library(clang::Stmt const* statement) const;
  bool may_launch_by(clang::QualType type) const;
  bool may_launch_by(clang::TemplateArgument const& argument) const;
  bool destructor_may_launch(clang::QualType type) const;

  clang::SourceManager const& sources_;
  std::set<clang::FunctionDecl const*> launching_;
  std::map<clang::FunctionDecl const*, std::vector<clang::Stmt const*>> bodies_;  ///< and initialisers
};

}  // namespace ballast::mesicc
