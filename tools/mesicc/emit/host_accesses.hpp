// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>

#include <functional>
#include <map>
#include <string>

#include "emit/launching_functions.hpp"
#include "emit/source_rewriter.hpp"
#include "emit/value_flow.hpp"

namespace ballast::mesicc {

/// Called for a variable whose address escapes from view: the reference, and the way it escapes.
using escape_listener = std::function<void(clang::DeclRefExpr const&, std::string const& why)>;

/// Gives each reference of host code to a shared variable, and to pointers and references that may lead to
/// one, the access that it needs: `a` becomes `a.read()`, `a.update()`, `a.address()` or `a.open()`, and a
/// pointer `p` that is used while launches may come between becomes `ballast::mesi::host(p)`.
class host_accesses {
 public:
  host_accesses(clang::ASTContext& context, escape_listener listener);

  void rewrite(source_rewriter& rewriter);

 private:
  class collector;
  /// The replacement of a reference. If a macro uses one token twice, the later form in this list applies.
  enum class form { untouched, declared, address, read, update, host, open };

  void find_followed();
  void hold(clang::VarDecl const* variable);
  void hold(value_flow const& flow);
  bool is_followed(clang::VarDecl const& variable) const;
  bool may_be_given_elements(clang::ParmVarDecl const& parameter) const;
  clang::Stmt const* scope_of(clang::VarDecl const& variable) const;

  form form_of_variable(clang::DeclRefExpr const& reference);
  form form_of_variable(clang::DeclRefExpr const& reference, value_flow const& flow) const;
  form form_of_pointer(clang::DeclRefExpr const& reference);
  form form_of_pointer(clang::DeclRefExpr const& reference, value_flow const& flow) const;
  form form_of_access(value_flow const& flow) const;
  bool may_be_overtaken(value_flow const& flow) const;
  form opened_if_overtaken(clang::DeclRefExpr const& reference, value_flow const& flow, form is) const;
  form form_of_copy(value_flow const& flow, form of_address) const;
  void record_in_templates(source_rewriter const& rewriter);
  void note(clang::DeclRefExpr const& reference, form is, source_rewriter const& rewriter);

  clang::ASTContext& context_;
  launching_functions launching_;
  escape_listener listener_;
  std::vector<clang::DeclRefExpr const*> of_variables_;
  std::vector<clang::DeclRefExpr const*> in_templates_;  ///< references to variables, as templates contain
                                                         ///< them
  std::map<clang::VarDecl const*, std::vector<clang::DeclRefExpr const*>> of_locals_;
  std::vector<clang::ParmVarDecl const*> parameters_;  ///< of functions that may launch
  std::map<clang::VarDecl const*, bool> captured_;
  std::map<clang::VarDecl const*, bool> holding_;  ///< whether it is also followed
  std::map<clang::SourceLocation, std::pair<clang::SourceRange, form>> forms_;  ///< by the place of the token
};

}  // namespace ballast::mesicc
