// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string>
#include <vector>

namespace ballast::mesicc {

/// What an expression that names elements, or points to some, is used for.
struct value_flow {
  enum class kind {
    none,    ///< the address is compared, or nothing is done
    type,    ///< only what it is declared as counts: decltype(a)
    launch,  ///< it is an argument of a launch
    read,
    update,   ///< written, or read and written
    copied,   ///< to the pointer or reference `into`, a local variable or a parameter
    escapes,  ///< to where it cannot be followed: `why`
  };
  kind is = kind::none;
  clang::VarDecl const* into = nullptr;
  bool only_read = false;                        ///< through `into`, whatever its type
  kind on_the_way = kind::none;                  ///< read or update by calls that gave it back
  std::string why = {};                          ///< "is returned"
  bool is_of_template = false;                   ///< it ends where a template's argument would tell more
  std::vector<clang::VarDecl const*> also = {};  ///< parameters that it becomes on the way
  std::vector<clang::Stmt const*> beside = {};   ///< what may run between the access and its end
};

/// Follows the value of a reference to a variable up the expressions around it. What a template is made for
/// several times has parts in common, clang's trees then being of several branches: one flow for each.
std::vector<value_flow> flows_of(clang::DeclRefExpr const& reference, clang::ASTContext& context);

/// Whether what a pointer or reference of this type leads to may not be written through it.
bool leads_to_const(clang::QualType type, clang::ASTContext& context);

}  // namespace ballast::mesicc
