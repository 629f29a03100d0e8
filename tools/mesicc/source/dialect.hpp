// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace ballast::mesicc {

/// True for a shared variable: `__global__ int a[4];`.
bool is_shared_variable(clang::ValueDecl const* declaration);
/// True for a kernel: `__global__ void f(...)`.
bool is_kernel(clang::FunctionDecl const* function);
/// True for a kernel or a `__device__` function.
bool runs_on_devices(clang::FunctionDecl const* function);
/// True if the user wrote the text at `place`: it is neither in a system header nor from the translator.
bool is_of_user(clang::SourceLocation place, clang::SourceManager const& sources);
/// True for the prelude's lThreadId.
bool is_thread_id(clang::ValueDecl const* declaration);
/// The function that is called; null for a call of anything but a named function.
clang::FunctionDecl const* called_by(clang::CallExpr const* call);

}  // namespace ballast::mesicc
