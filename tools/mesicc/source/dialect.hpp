// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace ballast::mesicc {

/// `__global__ int a[4];`
bool is_shared_variable(clang::ValueDecl const* declaration);
/// `__global__ void f(...)`.
bool is_kernel(clang::FunctionDecl const* function);
/// A kernel or a `__device__` function.
bool runs_on_devices(clang::FunctionDecl const* function);
/// Written by the user: neither in a system header nor by the translator.
bool is_of_user(clang::SourceLocation place, clang::SourceManager const& sources);
/// Of the prelude: what a thread is told about itself.
bool is_thread_id(clang::ValueDecl const* declaration);
/// Null for a call of something else than a named function.
clang::FunctionDecl const* called_by(clang::CallExpr const* call);

}  // namespace ballast::mesicc
