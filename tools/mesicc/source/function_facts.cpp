// SPDX-License-Identifier: Apache-2.0
#include "source/function_facts.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <functional>

namespace ballast::mesicc {
namespace {

using clang::Stmt;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

/// The expression that `statement` assigns to, increments or decrements; or null.
clang::Expr const* assigned_by(Stmt const* statement) {
  if (auto const* const binary = dyn_cast<clang::BinaryOperator>(statement))
    return binary->isAssignmentOp() ? binary->getLHS() : nullptr;
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(statement))
    return unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
  return nullptr;
}

bool binds_to_const(clang::QualType type) {
  return !type->isReferenceType() || type.getNonReferenceType().isConstQualified();
}

class exposure_finder {
 public:
  void find_in(Stmt const* statement) {
    if (statement == nullptr) return;
    if (has_unevaluated_operands(statement)) return;
    if (auto const* const reference = dyn_cast<clang::DeclRefExpr>(statement)) return expose(*reference);
    if (auto const* const group = dyn_cast<clang::DeclStmt>(statement)) return find_in_declarations(*group);
    if (auto const* const call = dyn_cast<clang::CallExpr>(statement)) return find_in_call(*call);
    auto const* const cast = dyn_cast<clang::CastExpr>(statement);
    if (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue)
      return find_in_read(cast->getSubExpr());
    auto const* const assigned = assigned_by(statement);
    for (auto const* const child : statement->children())
      if (!is_harmless(statement, assigned, child)) find_in(child);
  }
  variables found;
  bool swaps_expose = true;

 private:
  void expose(clang::DeclRefExpr const& reference) {
    if (auto const* const variable = dyn_cast<clang::VarDecl>(reference.getDecl())) found.insert(variable);
  }

  /// Searches an expression that is read, or bound to a reference to const. `c ? a : b`, too, yields only a
  /// value if a cast makes one side const.
  void find_in_read(clang::Expr const* read) {
    read = read->IgnoreParenImpCasts();
    if (isa<clang::DeclRefExpr>(read)) return;
    auto const* const branch = dyn_cast<clang::ConditionalOperator>(read);
    if (branch == nullptr) return find_in(read);
    find_in(branch->getCond());
    find_in_read(branch->getTrueExpr());
    find_in_read(branch->getFalseExpr());
  }

  static bool is_name(Stmt const* statement) {
    auto const* const expression = dyn_cast_or_null<clang::Expr>(statement);
    return expression != nullptr && isa<clang::DeclRefExpr>(expression->IgnoreParens());
  }

  /// True if `child` is a name that is assigned to or stands alone.
  static bool is_harmless(Stmt const* parent, Stmt const* assigned, Stmt const* child) {
    if (!is_name(child)) return false;
    return child == assigned || isa<clang::CompoundStmt>(parent);
  }

  void find_in_declarations(clang::DeclStmt const& group) {
    for (auto const* const declaration : group.decls()) {
      auto const* const variable = dyn_cast<clang::VarDecl>(declaration);
      if (variable == nullptr || variable->getInit() == nullptr) continue;
      bool const is_view = variable->getType()->isReferenceType() && binds_to_const(variable->getType());
      is_view ? find_in_read(variable->getInit()) : find_in(variable->getInit());
    }
  }

  void find_in_call(clang::CallExpr const& call) {
    find_in(call.getCallee());
    if (!swaps_expose && swapped_by(&call).first != nullptr && swapped_by(&call).second != nullptr) return;
    auto const* const callee = call.getDirectCallee();
    bool const is_member =
        isa<clang::CXXOperatorCallExpr>(call) && isa_and_nonnull<clang::CXXMethodDecl>(callee);
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      auto const parameter = is_member ? i - 1 : i;
      bool const known = callee != nullptr && (!is_member || i > 0) && parameter < callee->getNumParams();
      bool const to_const = known && binds_to_const(callee->getParamDecl(parameter)->getType());
      to_const ? find_in_read(call.getArg(i)) : find_in(call.getArg(i));
    }
  }
};

bool ends_loop(Stmt const* statement, bool breaks) {
  if (statement == nullptr || isa<clang::LambdaExpr>(statement)) return false;
  if (has_unevaluated_operands(statement)) return false;
  if (isa<clang::ReturnStmt>(statement) || (breaks && isa<clang::BreakStmt>(statement))) return true;
  bool const takes_breaks =
      isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::SwitchStmt>(
          statement);
  return std::ranges::any_of(statement->children(),
                             [&](Stmt const* child) { return ends_loop(child, breaks && !takes_breaks); });
}

}  // namespace

bool has_unevaluated_operands(Stmt const* statement) {
  if (auto const* const sized = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(statement))
    return !sized->getTypeOfArgument()->isVariableArrayType();
  if (isa<clang::CXXNoexceptExpr>(statement)) return true;
  if (auto const* const type = dyn_cast<clang::CXXTypeidExpr>(statement))
    return !type->isValueDependent() && !type->isPotentiallyEvaluated();
  auto const* const call = dyn_cast<clang::CallExpr>(statement);
  auto const* const callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && call->isUnevaluatedBuiltinCall(callee->getASTContext());
}

void for_each_within(Stmt const* statement, std::function<void(Stmt const*)> const& visit) {
  if (statement == nullptr) return;
  visit(statement);
  if (has_unevaluated_operands(statement)) return;
  for (auto const* const child : statement->children()) for_each_within(child, visit);
}

std::pair<clang::VarDecl const*, clang::VarDecl const*> swapped_by(Stmt const* call) {
  auto const* const exchange = dyn_cast<clang::CallExpr>(call);
  auto const* const callee = exchange == nullptr ? nullptr : exchange->getDirectCallee();
  if (callee == nullptr || !callee->isInStdNamespace() || !callee->getDeclName().isIdentifier() ||
      callee->getName() != "swap" || exchange->getNumArgs() != 2)
    return {};
  return {variable_named(exchange->getArg(0)), variable_named(exchange->getArg(1))};
}

variables exposed_variables_but_swapped(Stmt const* body) {
  exposure_finder finder;
  finder.swaps_expose = false;
  finder.find_in(body);
  return std::move(finder.found);
}

variables exposed_variables(Stmt const* body) {
  exposure_finder finder;
  finder.find_in(body);
  return std::move(finder.found);
}

variables assigned_variables(Stmt const* statement) {
  variables found;
  for_each_within(statement, [&](Stmt const* within) {
    auto const* const assigned = assigned_by(within);
    auto const* const variable = assigned == nullptr ? nullptr : variable_named(assigned);
    if (variable != nullptr) found.insert(variable);
    auto const* const group = dyn_cast<clang::DeclStmt>(within);
    if (group == nullptr) return;
    for (auto const* const declared : group->decls())
      if (auto const* const local = dyn_cast<clang::VarDecl>(declared)) found.insert(local);
  });
  return found;
}

int assignments_to(clang::VarDecl const* variable, Stmt const* statement) {
  int count = 0;
  for_each_within(statement, [&](Stmt const* within) {
    auto const* const assigned = assigned_by(within);
    if (assigned != nullptr && variable_named(assigned) == variable) ++count;
  });
  return count;
}

bool has_way_out(Stmt const* loop_body) { return ends_loop(loop_body, true); }
bool has_return(Stmt const* statement) { return ends_loop(statement, false); }

bool has_continue(Stmt const* loop_body) {
  bool found = false;
  for_each_within(loop_body, [&](Stmt const* within) { found = found || isa<clang::ContinueStmt>(within); });
  return found;
}

clang::VarDecl const* variable_named(clang::Expr const* expression) {
  auto const* const reference = dyn_cast_or_null<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference == nullptr ? nullptr : dyn_cast<clang::VarDecl>(reference->getDecl());
}

bool names(Stmt const* statement, clang::VarDecl const* variable) {
  bool found = false;
  for_each_within(statement, [&](Stmt const* within) {
    auto const* const reference = dyn_cast<clang::DeclRefExpr>(within);
    found = found || (reference != nullptr && reference->getDecl() == variable);
  });
  return found;
}

}  // namespace ballast::mesicc
