// SPDX-License-Identifier: Apache-2.0
#include "source/host_values.hpp"

#include <clang/AST/ExprCXX.h>

namespace ballast::mesicc {

using llvm::dyn_cast;

host_values::host_values(clang::FunctionDecl const* function, clang::ASTContext const& context)
    : context_(context), body_(function == nullptr ? nullptr : function->getBody()) {
  if (body_ == nullptr) return;
  exposed_ = exposed_variables_but_swapped(body_);
  for_each_within(body_, [this](auto const* statement) { note(statement); });
}

void host_values::note(clang::Stmt const* statement) {
  if (auto const* const binary = dyn_cast<clang::BinaryOperator>(statement);
      binary != nullptr && binary->isAssignmentOp()) {
    auto const* const variable = variable_named(binary->getLHS());
    if (binary->getOpcode() == clang::BO_Assign)
      given_[variable].push_back(binary->getRHS());
    else
      changed_.insert(variable);
  }
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(statement);
      unary != nullptr && unary->isIncrementDecrementOp())
    changed_.insert(variable_named(unary->getSubExpr()));
  if (auto const* const group = dyn_cast<clang::DeclStmt>(statement))
    for (auto const* const declared : group->decls())
      if (auto const* const variable = dyn_cast<clang::VarDecl>(declared);
          variable != nullptr && variable->hasInit())
        given_[variable].push_back(variable->getInit());
  if (auto const [one, other] = swapped_by(statement); one != nullptr && other != nullptr) {
    exchanged_[one].insert(other);
    exchanged_[other].insert(one);
  }
}

bool host_values::never_changes(clang::VarDecl const& variable) const {
  if (!variable.isLocalVarDecl() || variable.isStaticLocal() || !variable.hasInit()) return false;
  if (names(variable.getInit(), &variable) || variable.getType().isVolatileQualified()) return false;
  auto const given = given_.find(&variable);
  return given != given_.end() && given->second.size() == 1 && !exposed_.contains(&variable) &&
         !changed_.contains(&variable) && !exchanged_.contains(&variable);
}

std::optional<std::int64_t> host_values::constant_of(clang::Expr const& expression) const {
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (expression.EvaluateAsInt(result, context_, clang::Expr::SE_NoSideEffects)) {
    auto const& number = result.Val.getInt();
    if (number.isSigned() ? !number.isSignedIntN(64) : !number.isIntN(63)) return std::nullopt;
    return number.getExtValue();
  }
  auto const* const bare = expression.IgnoreParens();
  if (auto const* const variable = llvm::isa<clang::DeclRefExpr>(bare) ? variable_named(bare) : nullptr)
    return never_changes(*variable) ? constant_of(*variable->getInit()) : std::nullopt;
  if (auto const* const cast = dyn_cast<clang::CastExpr>(bare)) {
    if (cast->getCastKind() == clang::CK_LValueToRValue) return constant_of(*cast->getSubExpr());
    bool const is_integral = cast->getCastKind() == clang::CK_IntegralCast;
    auto const known = is_integral ? constant_of(*cast->getSubExpr()) : std::nullopt;
    auto const bits = context_.getIntWidth(cast->getType());
    bool const fits = known && *known >= 0 && (bits >= 63 || *known < std::int64_t(1) << (bits - 1));
    return fits ? known : std::nullopt;
  }
  auto const* const operation = dyn_cast<clang::BinaryOperator>(bare);
  return operation == nullptr ? std::nullopt : constant_of_operation(*operation);
}

std::optional<std::int64_t> host_values::constant_of_operation(clang::BinaryOperator const& operation) const {
  if (!operation.getType()->isSignedIntegerType()) return std::nullopt;
  auto const a = constant_of(*operation.getLHS()), b = constant_of(*operation.getRHS());
  std::int64_t result = 0;
  if (!a || !b) return std::nullopt;
  switch (operation.getOpcode()) {
    case clang::BO_Add:
      return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Sub:
      return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Mul:
      return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case clang::BO_Div:
      return *b > 0 ? std::optional(*a / *b) : std::nullopt;
    default:
      return std::nullopt;
  }
}

variables host_values::exchanged_with(clang::VarDecl const& pointer) const {
  variables all{&pointer};
  std::vector<clang::VarDecl const*> left{&pointer};
  while (!left.empty()) {
    auto const found = exchanged_.find(left.back());
    left.pop_back();
    if (found == exchanged_.end()) continue;
    for (auto const* const other : found->second)
      if (all.insert(other).second) left.push_back(other);
  }
  return all;
}

std::vector<clang::Expr const*> host_values::values_given_to(clang::VarDecl const& pointer) const {
  std::vector<clang::Expr const*> all;
  std::vector<clang::VarDecl const*> left{&pointer};
  variables seen{&pointer};
  while (!left.empty()) {
    auto const& held = *left.back();
    left.pop_back();
    for (auto const* const one : exchanged_with(held)) {
      auto const given = given_.find(one);
      if (!one->isLocalVarDecl() || one->isStaticLocal() || exposed_.contains(one) || changed_.contains(one))
        return {};
      if (given == given_.end()) continue;
      for (auto const* const expression : given->second) {
        auto const* const other = variable_named(expression);
        bool const is_copy = other != nullptr && other->getType()->isPointerType();
        if (!is_copy) all.push_back(expression);
        if (is_copy && seen.insert(other).second) left.push_back(other);
      }
    }
  }
  return all;
}

}  // namespace ballast::mesicc
