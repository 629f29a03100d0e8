// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace ballast::mesicc {

using variables = std::set<clang::VarDecl const*>;

/// Local variables whose value may change other than by an assignment to their name: their address is taken,
/// or a reference is bound to them.
variables exposed_variables(clang::Stmt const* body);

/// The result of exposed_variables(), except that a call of std::swap does not expose the two pointers that
/// it exchanges.
variables exposed_variables_but_swapped(clang::Stmt const* body);

/// The two variables that a call of std::swap exchanges; or nulls.
std::pair<clang::VarDecl const*, clang::VarDecl const*> swapped_by(clang::Stmt const* call);

/// True if it contains operands that are not evaluated, as `sizeof(i++)`, `noexcept(i++)` and
/// `__builtin_constant_p(i++)` do.
bool has_unevaluated_operands(clang::Stmt const* statement);

/// Calls `visit` with a statement and everything within it that is evaluated, outer ones first.
void for_each_within(clang::Stmt const* statement, std::function<void(clang::Stmt const*)> const& visit);

/// Variables that a statement assigns to, counts up or down, or declares.
variables assigned_variables(clang::Stmt const* statement);
/// The number of assignments to a variable that a statement's text contains.
int assignments_to(clang::VarDecl const* variable, clang::Stmt const* statement);

/// True if a statement contains a `return`, or a `break` that ends it if it is a loop.
bool has_way_out(clang::Stmt const* loop_body);
bool has_return(clang::Stmt const* statement);
bool has_continue(clang::Stmt const* loop_body);

/// The variable that an expression names, without parentheses and implicit conversions; or null.
clang::VarDecl const* variable_named(clang::Expr const* expression);
bool names(clang::Stmt const* statement, clang::VarDecl const* variable);

}  // namespace ballast::mesicc
