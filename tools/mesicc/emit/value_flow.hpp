// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string>
#include <vector>

namespace ballast::mesicc {

/// The use of an expression that names elements, or points to some.
struct value_flow {
  enum class kind {
    none,    ///< the address is compared, or not used
    type,    ///< only its declared type counts: decltype(a)
    launch,  ///< an argument of a launch
    read,
    update,   ///< written, or read and written
    copied,   ///< to the pointer or reference `into`, a local variable or a parameter
    escapes,  ///< to a place where it cannot be followed: `why`
  };
  kind is = kind::none;
  clang::VarDecl const* into = nullptr;
  bool only_read = false;                        ///< through `into`, whatever its type
  kind on_the_way = kind::none;                  ///< read or updated by calls that returned it
  std::string why = {};                          ///< "is returned"
  bool is_of_template = false;                   ///< ends where a template's argument would tell more
  std::vector<clang::VarDecl const*> also = {};  ///< parameters that it becomes on the way
  std::vector<clang::Stmt const*> beside = {};   ///< code that may run between the access and its end
};

/// Follows the value of a reference to a variable up the expressions around it. Several instances of a
/// template share parts, so that clang's trees branch: one flow for each branch.
std::vector<value_flow> flows_of(clang::DeclRefExpr const& reference, clang::ASTContext& context);

/// True if the target of a pointer or reference of this type cannot be written through it.
bool leads_to_const(clang::QualType type, clang::ASTContext& context);

}  // namespace ballast::mesicc
