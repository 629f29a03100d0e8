// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/source_rewriter.hpp"

namespace ballast::mesicc {

/// What a kernel or `__device__` function uses that CUDA would find in the air, itself or in what it calls.
/// It gets them as parameters in front of its own.
struct hidden_parameters {
  bool thread_id = false;
  std::vector<clang::VarDecl const*> variables;  ///< by their names, so that all files agree

  bool empty() const { return !thread_id && variables.empty(); }
};

/// What a program does with functions that cannot be handed their hidden parameters.
struct refused_use {
  clang::SourceRange where;
  std::string message;
};

/// All kernels and `__device__` functions of a program that the user wrote. Those that templates make are
/// taken for the template.
class device_functions {
 public:
  explicit device_functions(clang::ASTContext& context);

  /// None for functions that are not known.
  hidden_parameters const& hidden_of(clang::FunctionDecl const* function) const;
  /// What a shared variable is called where it is a parameter: as ever, unless something else in one of
  /// these functions has that name.
  std::string name_of(clang::VarDecl const* variable) const;
  std::vector<refused_use> refused_uses() const;
  /// `__global__ void f(int* a)` becomes `BALLAST_HD void f(ballast::mesi::thread_id lThreadId, int* a)`; the
  /// body stays, but for calls of functions with hidden parameters.
  void rewrite(source_rewriter& rewriter) const;

 private:
  struct call_of_function {
    clang::CallExpr const* call;
    clang::FunctionDecl const* callee;
  };
  struct use_of_function {
    clang::SourceRange where;
    clang::FunctionDecl const* function;
  };
  struct uses {
    hidden_parameters hidden;
    std::vector<call_of_function> calls;
    std::vector<clang::DeclRefExpr const*> variables;
    std::set<std::string> names;  ///< of all else that it declares or names
  };
  class collector;

  void spread_to_callers();
  void choose_names(clang::ASTContext const& context);
  bool is_ambiguous(clang::VarDecl const* variable) const;
  static bool add(hidden_parameters& to, hidden_parameters const& more);
  std::string parameters_of(hidden_parameters const& hidden, clang::ASTContext const& context) const;
  std::string arguments_of(hidden_parameters const& hidden) const;
  void rewrite_calls(uses const& of, source_rewriter& rewriter) const;

  std::vector<clang::FunctionDecl const*> declarations_;  ///< those without bodies too
  std::vector<clang::FunctionDecl const*> of_host_;       ///< that say so
  std::map<clang::FunctionDecl const*, uses> uses_;       ///< by canonical declaration
  std::map<clang::VarDecl const*, std::string> names_;
  std::set<clang::SourceLocation> instantiated_by_hand_;
  std::vector<use_of_function> values_;              ///< functions that are named, but not called there
  std::vector<clang::DeclRefExpr const*> in_heads_;  ///< what is used outside of a body
};

}  // namespace ballast::mesicc
