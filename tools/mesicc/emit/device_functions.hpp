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

/// Values that a kernel or `__device__` function uses without parameters, as CUDA allows, itself or in
/// functions that it calls. The result passes them as parameters before its own.
struct hidden_parameters {
  bool thread_id = false;
  std::vector<clang::VarDecl const*> variables;  ///< sorted by name, so that all files agree

  bool empty() const { return !thread_id && variables.empty(); }
};

/// A use of a function that cannot be passed its hidden parameters.
struct refused_use {
  clang::SourceRange where;
  std::string message;
};

/// All kernels and `__device__` functions of a program that the user wrote. Instances of a template count as
/// the template.
class device_functions {
 public:
  explicit device_functions(clang::ASTContext& context);

  /// The hidden parameters of the function; none for an unknown one.
  hidden_parameters const& hidden_of(clang::FunctionDecl const* function) const;
  /// The name of a shared variable as a parameter: its own, unless something else in one of these functions
  /// has that name.
  std::string name_of(clang::VarDecl const* variable) const;
  std::vector<refused_use> refused_uses() const;
  /// `__global__ void f(int* a)` becomes `BALLAST_HD void f(ballast::mesi::thread_id lThreadId, int* a)`; the
  /// body stays, except calls of functions with hidden parameters.
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
    std::set<std::string> names;  ///< of everything else that it declares or names
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
  std::vector<clang::DeclRefExpr const*> in_heads_;  ///< uses outside of a body
};

}  // namespace ballast::mesicc
