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
/// It gets them as parameters in front of its own, under the names that they have.
struct hidden_parameters {
  bool thread_id = false;
  std::vector<clang::VarDecl const*> variables;  ///< in the order in which they are first named
};

/// All kernels and `__device__` functions of a program that the user wrote.
class device_functions {
 public:
  explicit device_functions(clang::ASTContext& context);

  /// None for functions that are not known.
  hidden_parameters const& hidden_of(clang::FunctionDecl const* function) const;
  /// `__global__ void f(int* a)` becomes `BALLAST_HD void f(ballast::mesi::thread_id lThreadId, int* a)`; the
  /// body stays, but for calls of functions with hidden parameters.
  void rewrite(source_rewriter& rewriter) const;

 private:
  struct call_of_function {
    clang::CallExpr const* call;
    clang::FunctionDecl const* callee;
  };
  struct uses {
    hidden_parameters hidden;
    std::vector<call_of_function> calls;
    std::vector<clang::DeclRefExpr const*> variables;
  };
  class collector;

  void spread_to_callers();
  static bool add(hidden_parameters& to, hidden_parameters const& more);

  std::vector<clang::FunctionDecl const*> declarations_;  ///< those without bodies too
  std::map<clang::FunctionDecl const*, uses> uses_;       ///< by canonical declaration
};

/// "thread_id lThreadId, int (&a)[4]": as they stand in a declaration.
std::string as_parameters(hidden_parameters const& hidden, source_rewriter const& rewriter);
/// "lThreadId, a".
std::string as_arguments(hidden_parameters const& hidden);

}  // namespace ballast::mesicc
