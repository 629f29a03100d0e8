// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "source/function_facts.hpp"

namespace ballast::mesicc {

/// What the text of a function of the host tells of its local variables, wherever in it a launch may stand.
class host_values {
 public:
  /// `function` may be null: then only what is constant for C++ is.
  host_values(clang::FunctionDecl const* function, clang::ASTContext const& context);

  /// A constant of C++, or one that is made of variables that never change after they were initialised.
  std::optional<std::int64_t> constant_of(clang::Expr const& expression) const;
  /// All that a local pointer may ever have been given; nothing if that cannot be told.
  std::vector<clang::Expr const*> values_given_to(clang::VarDecl const& pointer) const;

 private:
  void note(clang::Stmt const* statement);
  bool never_changes(clang::VarDecl const& variable) const;
  std::optional<std::int64_t> constant_of_operation(clang::BinaryOperator const& operation) const;
  variables exchanged_with(clang::VarDecl const& pointer) const;

  clang::ASTContext const& context_;
  clang::Stmt const* body_;
  variables exposed_, changed_;  ///< changed: other than by `=`
  std::map<clang::VarDecl const*, std::vector<clang::Expr const*>> given_;
  std::map<clang::VarDecl const*, variables> exchanged_;
};

}  // namespace ballast::mesicc
