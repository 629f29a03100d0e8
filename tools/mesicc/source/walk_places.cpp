// SPDX-License-Identifier: Apache-2.0
// Expressions of a kernel that are places: variables, elements, and what they refer to.
#include <clang/AST/Attr.h>

#include "source/dialect.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

location kernel_walker::locate(clang::Expr const* expression) {
  expression = expression->IgnoreParens();
  if (auto const* const reference = dyn_cast<clang::DeclRefExpr>(expression)) return locate_name(*reference);
  if (auto const* const member = dyn_cast<clang::MemberExpr>(expression)) return locate_member(*member);
  if (auto const* const binary = dyn_cast<clang::BinaryOperator>(expression)) {
    if (binary->isAssignmentOp()) return assign(*binary);
    if (binary->getOpcode() == clang::BO_Comma) return run(binary->getLHS()), locate(binary->getRHS());
  }
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->isIncrementDecrementOp()) return step_by_one(*unary);
    if (unary->getOpcode() == clang::UO_Deref) return dereferenced(pointer_of(unary->getSubExpr()));
  }
  if (auto const* const item = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    auto const base = pointer_of(item->getBase());
    auto const index = evaluate(item->getIdx()).number;
    return dereferenced(
        advanced(base, index.value_or(unknown_value("is not known", at(item->getIdx()->getSourceRange())))));
  }
  if (auto const* const called = dyn_cast<clang::CallExpr>(expression)) return call(*called).place;
  if (auto const* const cast = dyn_cast<clang::CastExpr>(expression)) return locate_cast(*cast);
  if (auto const* const branch = dyn_cast<clang::ConditionalOperator>(expression))
    return locate_choice(*branch);
  return locate_other(*expression);
}

address kernel_walker::pointer_of(clang::Expr const* expression) {
  auto const known = evaluate(expression);
  return known.leads_to ? *known.leads_to : lost_address("is not known");
}

location kernel_walker::locate_other(clang::Expr const& expression) {
  if (auto const* const outer = dyn_cast<clang::FullExpr>(&expression)) return locate(outer->getSubExpr());
  if (auto const* const outer = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&expression))
    return locate(outer->getReplacement());
  if (auto const* const made = dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
    auto const known = evaluate(made->getSubExpr());
    if (known.leads_to) escape(*known.leads_to, expression, "is bound to a reference");
    location place;
    if (known.number) place.fixed = of_number(*known.number);
    return place;
  }
  if (isa<clang::StringLiteral, clang::PredefinedExpr>(expression)) return {};
  if (has_unevaluated_operands(&expression)) return skip(&expression), location{};
  if (isa<clang::AbstractConditionalOperator>(expression)) {
    fail(expression.getSourceRange(), "'?:' without a middle is not supported in a kernel");
    return skip(&expression), location{};
  }
  if (expression.isGLValue())
    evaluate_parts(expression);
  else
    evaluate(&expression);
  return {};
}

location kernel_walker::locate_cast(clang::CastExpr const& cast) {
  switch (cast.getCastKind()) {
    case clang::CK_NoOp:
    case clang::CK_LValueToRValue:
      return cast.getSubExpr()->isGLValue() ? locate(cast.getSubExpr())
                                            : (evaluate(cast.getSubExpr()), location{});
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase: {
      auto place = locate(cast.getSubExpr());
      for (auto& one : place.elements.targets) one.path.within_element = true;
      return place;
    }
    default: {
      auto const place = locate(cast.getSubExpr());
      escape(place.elements, cast, "is cast to something else");
      return {};
    }
  }
}

location kernel_walker::locate_choice(clang::ConditionalOperator const& branch) {
  auto const when = evaluate_condition(branch.getCond());
  auto const before = now_;
  auto const arm_of = [&](condition const& holds, clang::Expr const* arm) {
    if (is_constant(holds, false)) return skip(arm), location{};
    now_ = before;
    guards_.push_back(holds);
    auto place = locate(arm);
    guards_.pop_back();
    return place;
  };
  auto const then = arm_of(when, branch.getTrueExpr());
  auto const after_then = now_;
  auto const otherwise = arm_of(!when, branch.getFalseExpr());
  if (is_constant(when, true)) return now_ = after_then, then;
  if (is_constant(when, false)) return otherwise;
  merge(when, after_then, now_);
  location both;
  auto const has_value = [](location const& one) {
    return one.local != nullptr || one.fixed.has_value() || !one.either.empty();
  };
  if (has_value(then) && has_value(otherwise)) {
    both.fixed = choice(when, read(then, *branch.getTrueExpr()), read(otherwise, *branch.getFalseExpr()));
    both.either = {{when, referred_to(then)}, {condition(true), referred_to(otherwise)}};
  } else if (has_value(then) || has_value(otherwise)) {
    both.fixed = unknown_of(branch.getType(), "is not known", &branch);
  }
  both.elements = choice(when, then.elements, otherwise.elements);
  return both;
}

location kernel_walker::locate_name(clang::DeclRefExpr const& reference) {
  seen_.insert(&reference);
  auto const* const variable = dyn_cast<clang::VarDecl>(reference.getDecl());
  if (variable == nullptr) return {};
  location place;
  if (is_shared_variable(variable)) {
    auto path = whole_array(array_named(*variable));
    path.settled = variable->getType()->isArrayType() ? 0 : 1;
    place.elements.targets.push_back({condition(true), std::move(path)});
    return place;
  }
  if (variable->getType()->isReferenceType()) {
    auto const known = now_.references.find(variable);
    if (known != now_.references.end()) return known->second;
    place.elements = lost_address("comes by a reference that is not followed");
    return place;
  }
  if (!variable->hasLocalStorage()) return locate_global(*variable, reference);
  if (is_followed(*variable)) place.local = variable;
  return place;  // else its own memory: addresses of arrays are refused when they are put there
}

location kernel_walker::locate_global(clang::VarDecl const& variable, clang::Expr const& where) {
  auto const name = "'" + variable.getNameAsString() + "'";
  if (variable.isConstexpr() || is_thread_id(&variable)) return {};
  if (variable.isLocalVarDecl()) return {};  // refused where it is declared
  if (!is_of_user(variable.getLocation(), context_.getSourceManager()) && names_thread_of_cuda(variable))
    fail(where.getSourceRange(),
         name + " is CUDA's; threads of the dialect have lThreadId.x and lThreadId.y only");
  else if (variable.hasAttr<clang::CUDAConstantAttr>() || variable.hasAttr<clang::CUDADeviceAttr>() ||
           variable.hasAttr<clang::CUDASharedAttr>())
    fail(where.getSourceRange(),
         name + " is in one device's memory; make it a __global__ variable, or an argument of the kernel");
  else
    fail(where.getSourceRange(), name +
                                     " is a variable of the host; a kernel reaches __global__ variables, "
                                     "constexpr ones and its arguments");
  return {};
}

location kernel_walker::locate_member(clang::MemberExpr const& member) {
  if (auto const* const known = dyn_cast<clang::VarDecl>(member.getMemberDecl())) {
    skip(member.getBase());
    return locate_global(*known, member);
  }
  auto const* const base = dyn_cast<clang::DeclRefExpr>(member.getBase()->IgnoreParenImpCasts());
  if (base != nullptr && is_thread_id(dyn_cast<clang::VarDecl>(base->getDecl())))
    return locate_thread(member);
  location place;
  if (member.isArrow())
    place = dereferenced(pointer_of(member.getBase()));
  else if (member.getBase()->isGLValue())
    place = locate(member.getBase());
  else
    evaluate(member.getBase());
  place.local = nullptr;
  place.fixed.reset();
  place.either.clear();
  for (auto& one : place.elements.targets) one.path.within_element = true;
  if (member.getType()->isReferenceType())
    place.elements = lost_address("comes by a member that is a reference");
  return place;
}

location kernel_walker::locate_thread(clang::MemberExpr const& member) {
  auto const name = member.getMemberDecl()->getName();
  if (name == "z")
    fail(member.getSourceRange(), "'lThreadId.z' does not exist: launches have at most two dimensions");
  location place;
  auto const number = name == "x"                            ? thread_id(axis::x)
                      : name == "y" && model_.dimensions > 1 ? thread_id(axis::y)
                                                             : expression(0);
  place.fixed = of_number(number);
  return place;
}

location kernel_walker::assign(clang::BinaryOperator const& assignment) {
  if (assignment.getOpcode() == clang::BO_Assign) {
    auto const what = evaluate(assignment.getRHS());  // before its target, as C++17 has it
    auto const to = locate(assignment.getLHS());
    write(to, what, assignment);
    return to;
  }
  auto const& compound = static_cast<clang::CompoundAssignOperator const&>(assignment);
  auto const right = evaluate(compound.getRHS());
  auto const to = locate(compound.getLHS());
  auto const left = read(to, *compound.getLHS());
  auto const what = clang::BinaryOperator::getOpForCompoundAssignment(compound.getOpcode());
  if (left.leads_to) {
    write(to, evaluate_pointers_by(left, right, what == clang::BO_Add, compound), compound);
    return to;
  }
  auto result = unknown_of(compound.getLHS()->getType(), "is not known", &compound);
  if (compound.getComputationResultType()->isIntegralOrEnumerationType() &&
      compound.getComputationLHSType()->isIntegralOrEnumerationType() && left.number && right.number) {
    auto const type = compound.getComputationLHSType();
    auto const widened = of_number(fitted(*left.number, type, compound, "may not fit its type"));
    result = arithmetic(what, widened, right, compound.getComputationResultType(), compound);
    if (result.number)
      result =
          of_number(fitted(*result.number, compound.getLHS()->getType(), compound, "may not fit its type"));
  }
  write(to, result, compound);
  return to;
}

value kernel_walker::evaluate_pointers_by(value const& pointer, value const& steps, bool adds,
                                          clang::Expr const& where) {
  auto const by = steps.number.value_or(unknown_value("is not known", at(where.getSourceRange())));
  return of_address(advanced(*pointer.leads_to, adds ? by : expression(0) - by));
}

location kernel_walker::step_by_one(clang::UnaryOperator const& unary) {
  auto const to = locate(unary.getSubExpr());
  auto const before = read(to, *unary.getSubExpr());
  expression const by = unary.isIncrementOp() ? 1 : -1;
  auto const type = unary.getSubExpr()->getType();
  value after = unknown_of(type, "is not known", &unary);
  if (before.leads_to) after = of_address(advanced(*before.leads_to, by));
  if (before.number && !type->isBooleanType()) {
    bool const wraps = wraps_around(type);
    after =
        of_number(wraps ? fitted(*before.number + by, type, unary, "may wrap around") : *before.number + by);
  }
  write(to, after, unary);
  return to;
}

/// The value of something that is about to be counted, without noting that it is read twice.
value kernel_walker::peek(clang::Expr const* operand) {
  auto const* const variable = variable_named(operand);
  auto const known = variable == nullptr ? now_.values.end() : now_.values.find(variable);
  if (known != now_.values.end()) return known->second;
  return unknown_of(operand->getType(), "depends on a value that is read from memory", operand);
}

value kernel_walker::read(location const& from, clang::Expr const& where) {
  auto const type = where.getType();
  if (from.fixed) return *from.fixed;
  if (from.local != nullptr) {
    auto const known = now_.values.find(from.local);
    if (known != now_.values.end()) return known->second;
    return unknown_of(type, "has no value yet", &where);
  }
  if (!from.either.empty()) return read_either(from, where);
  if (from.elements.lost) return fail_lost(from.elements, where), unknown_of(type, "is not known", &where);
  record(access_kind::read, from.elements, where.getSourceRange());
  if (type->isPointerType()) return of_address(lost_address("is read from memory"));
  return unknown_of(type, "depends on a value that is read from memory", &where);
}

value kernel_walker::read_either(location const& from, clang::Expr const& where) {
  auto found = read(from.either.back().second, where);
  for (auto one = from.either.rbegin() + 1; one != from.either.rend(); ++one)
    found = choice(one->first, read(one->second, where), found);
  return found;
}

void kernel_walker::write(location const& to, value const& what, clang::Expr const& where) {
  for (auto const& one : to.either)
    write(one.second, unknown_of(where.getType(), "may be assigned to by a reference", &where), where);
  if (!to.either.empty()) return;
  if (to.local != nullptr) {
    now_.values[to.local] = as_followed(what, to.local->getType(), &where);
    return;
  }
  if (what.leads_to) escape(*what.leads_to, where, "is stored where it cannot be followed");
  if (to.elements.lost) return fail_lost(to.elements, where);
  record(access_kind::write, to.elements, where.getSourceRange());
}

value kernel_walker::read_argument(clang::Expr const* argument) {
  return argument->isGLValue() ? read(locate(argument), *argument) : evaluate(argument);
}

}  // namespace ballast::mesicc
