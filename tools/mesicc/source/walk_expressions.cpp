// SPDX-License-Identifier: Apache-2.0
// Expressions of a kernel that are values. Those that are places are in walk_places.cpp.
#include "source/dialect.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

bool is_integer(clang::QualType type) { return type->isIntegralOrEnumerationType(); }

/// What is around an expression and changes nothing of its value.
clang::Expr const* inner_of(clang::Expr const* expression) {
  if (auto const* const outer = dyn_cast<clang::ParenExpr>(expression)) return outer->getSubExpr();
  if (auto const* const outer = dyn_cast<clang::FullExpr>(expression)) return outer->getSubExpr();
  if (auto const* const outer = dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return outer->getSubExpr();
  if (auto const* const outer = dyn_cast<clang::CXXBindTemporaryExpr>(expression)) return outer->getSubExpr();
  if (auto const* const outer = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return outer->getReplacement();
  if (auto const* const braces = dyn_cast<clang::InitListExpr>(expression);
      braces != nullptr && braces->getType()->isScalarType() && braces->getNumInits() == 1)
    return braces->getInit(0);
  if (auto const* const outer = dyn_cast<clang::CXXDefaultArgExpr>(expression)) return outer->getExpr();
  if (auto const* const outer = dyn_cast<clang::CXXDefaultInitExpr>(expression)) return outer->getExpr();
  return nullptr;
}

char const* refusal_of(clang::Expr const* expression) {
  if (isa<clang::LambdaExpr>(expression)) return "a lambda is not supported in a kernel";
  if (isa<clang::CXXNewExpr, clang::CXXDeleteExpr>(expression))
    return "new and delete are not supported in a kernel";
  if (isa<clang::CXXThrowExpr>(expression)) return "exceptions are not supported in a kernel";
  if (isa<clang::StmtExpr>(expression)) return "statements in an expression are not supported in a kernel";
  if (isa<clang::BinaryConditionalOperator>(expression))
    return "'?:' without a middle is not supported in a kernel";
  if (isa<clang::UnaryExprOrTypeTraitExpr>(expression) && !has_unevaluated_operands(expression))
    return "a size that is not constant is not supported in a kernel";
  if (isa<clang::AtomicExpr>(expression))
    return "atomic operations are not supported (assumption A3): no thread may rely on what others do in the "
           "same launch";
  return nullptr;
}

}  // namespace

std::optional<expression> kernel_walker::constant_of(clang::Expr const* expression) const {
  if (expression->isValueDependent() || expression->isGLValue() || !is_integer(expression->getType()))
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (!expression->EvaluateAsInt(result, context_, clang::Expr::SE_NoSideEffects)) return std::nullopt;
  auto const& number = result.Val.getInt();
  if (number.isSigned() ? !number.isSignedIntN(64) : !number.isIntN(63)) return std::nullopt;
  return number.getExtValue();
}

value kernel_walker::evaluate(clang::Expr const* expression) {
  if (auto known = constant_of(expression)) {
    skip(expression);
    if (expression->getType()->isBooleanType()) return of_truth(condition(!is_constant(*known, 0)));
    return of_number(*known);
  }
  if (auto const* const inner = inner_of(expression)) return evaluate(inner);
  if (auto const* const why = refusal_of(expression)) {
    fail(expression->getSourceRange(), why);
    return skip(expression), unknown_of(expression->getType(), "is not supported", expression);
  }
  if (has_unevaluated_operands(expression))
    return skip(expression), unknown_of(expression->getType(), "is not known", expression);
  if (expression->isGLValue()) return locate(expression), value{};
  if (auto const* const cast = dyn_cast<clang::CastExpr>(expression)) return evaluate_cast(*cast);
  if (auto const* const unary = dyn_cast<clang::UnaryOperator>(expression)) return evaluate_unary(*unary);
  if (auto const* const binary = dyn_cast<clang::BinaryOperator>(expression)) return evaluate_binary(*binary);
  if (auto const* const choice = dyn_cast<clang::AbstractConditionalOperator>(expression))
    return evaluate_conditional(*choice);
  if (auto const* const called = dyn_cast<clang::CallExpr>(expression)) return call(*called).returned;
  if (auto const* const made = dyn_cast<clang::CXXConstructExpr>(expression))
    return evaluate_construction(*made);
  if (isa<clang::CXXThisExpr>(expression)) return of_address(frames_.back().self);
  if (isa<clang::CXXNullPtrLiteralExpr>(expression))
    return unknown_of(expression->getType(), "is not known", expression);
  return evaluate_parts(*expression);
}

/// An expression that is not told apart: what it is made of happens, and no address is kept by it.
value kernel_walker::evaluate_parts(clang::Expr const& expression) {
  for (auto const* const child : expression.children()) {
    auto const* const part = llvm::dyn_cast_or_null<clang::Expr>(child);
    if (part == nullptr) continue;
    if (part->isGLValue()) {
      escape(locate(part).elements, *part, "is used in an expression that is not followed");
    } else if (auto const known = evaluate(part); known.leads_to) {
      escape(*known.leads_to, *part, "is used in an expression that is not followed");
    }
  }
  return unknown_of(expression.getType(), "is an expression that is not followed", &expression);
}

value kernel_walker::evaluate_cast(clang::CastExpr const& cast) {
  auto const* const from = cast.getSubExpr();
  switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
      return read(locate(from), cast);
    case clang::CK_ArrayToPointerDecay:
      return from->isGLValue() ? of_address(decayed(locate(from))) : (evaluate(from), of_address({}));
    case clang::CK_IntegralCast:
    case clang::CK_BooleanToSignedIntegral: {
      auto const known = evaluate(from);
      if (!known.number) return unknown_of(cast.getType(), "is not known", &cast);
      return of_number(converted(*known.number, cast));
    }
    case clang::CK_IntegralToBoolean: {
      auto const known = evaluate(from);
      if (known.truth) return known;
      return known.number ? of_truth(*known.number != 0) : unknown_of(cast.getType(), "is not known", &cast);
    }
    case clang::CK_FloatingToIntegral:
      evaluate(from);
      return unknown_of(cast.getType(), "is a floating-point number", &cast);
    case clang::CK_PointerToBoolean:
      evaluate(from);
      return unknown_of(cast.getType(), "depends on a pointer", &cast);
    case clang::CK_NullToPointer:
      evaluate(from);
      return of_address({});
    case clang::CK_BitCast:
      return pointer_cast(cast, evaluate(from));
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
      return to_base(evaluate(from), cast);
    case clang::CK_ToVoid:
      return from->isGLValue() ? (locate(from), value{}) : (evaluate(from), value{});
    case clang::CK_NoOp:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
      return evaluate(from);
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingCast:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingRealToComplex:
      evaluate(from);
      return unknown_of(cast.getType(), "is a floating-point number", &cast);
    default:
      return evaluate_parts(cast);
  }
}

/// Only a step from rows to elements can be followed: `(float*)a` of `float (*a)[N]`.
value kernel_walker::pointer_cast(clang::CastExpr const& cast, value const& from) {
  if (!from.leads_to || from.leads_to->targets.empty()) return from;
  auto const wanted = shape_of(cast.getType()->getPointeeType(), context_);
  auto const given = shape_of(cast.getSubExpr()->getType()->getPointeeType(), context_);
  bool const same_elements = context_.hasSameUnqualifiedType(wanted.element, given.element);
  if (!same_elements || !wanted.extents.empty()) {
    escape(*from.leads_to, cast, "is cast to a pointer to something else");
    return of_address({});
  }
  auto to = *from.leads_to;
  for (auto& one : to.targets)
    if (!one.path.within_element) flatten(one.path);
  return of_address(std::move(to));
}

/// A part of the element.
value kernel_walker::to_base(value const& from, clang::CastExpr const& cast) {
  if (!from.leads_to) return unknown_of(cast.getType(), "is not known", &cast);
  auto to = *from.leads_to;
  for (auto& one : to.targets) one.path.within_element = one.path.is_member = true;
  return of_address(std::move(to));
}

value kernel_walker::evaluate_unary(clang::UnaryOperator const& unary) {
  if (unary.isIncrementDecrementOp()) {
    auto const before = peek(unary.getSubExpr());
    step_by_one(unary);
    return before;
  }
  if (unary.getOpcode() == clang::UO_AddrOf) {
    if (!unary.getSubExpr()->isGLValue()) return evaluate_parts(unary);
    return of_address(address_of(locate(unary.getSubExpr())));
  }
  if (unary.getOpcode() == clang::UO_LNot) return of_truth(!evaluate_condition(unary.getSubExpr()));
  auto const known = evaluate(unary.getSubExpr());
  if (known.leads_to) return evaluate_parts(unary);
  if (!known.number) return unknown_of(unary.getType(), "is not known", &unary);
  switch (unary.getOpcode()) {
    case clang::UO_Plus:
    case clang::UO_Extension:
      return known;
    case clang::UO_Minus:
      return of_number(fitted(expression(0) - *known.number, unary.getType(), unary, "may wrap around"));
    case clang::UO_Not:
      return of_number(fitted(expression(-1) - *known.number, unary.getType(), unary, "may wrap around"));
    default:
      return unknown_of(unary.getType(), "is not known", &unary);
  }
}

value kernel_walker::evaluate_binary(clang::BinaryOperator const& binary) {
  if (binary.isLogicalOp()) return evaluate_logical(binary);
  if (binary.getOpcode() == clang::BO_Comma) {
    run(binary.getLHS());
    return evaluate(binary.getRHS());
  }
  if (binary.isPtrMemOp()) return evaluate_parts(binary);
  auto const left = evaluate(binary.getLHS());
  auto const right = evaluate(binary.getRHS());
  if (left.leads_to || right.leads_to) return evaluate_pointers(binary, left, right);
  return arithmetic(binary.getOpcode(), left, right, binary.getType(), binary);
}

/// The right side happens only where the left one has not decided.
value kernel_walker::evaluate_logical(clang::BinaryOperator const& binary) {
  bool const both = binary.getOpcode() == clang::BO_LAnd;
  auto const left = evaluate_condition(binary.getLHS());
  auto const goes_on = both ? left : !left;
  if (is_constant(goes_on, false)) return skip(binary.getRHS()), of_truth(left);
  auto const before = now_;
  guards_.push_back(goes_on);
  auto const right = evaluate_condition(binary.getRHS());
  guards_.pop_back();
  merge(goes_on, now_, before);
  return of_truth(both ? left && right : left || right);
}

value kernel_walker::evaluate_pointers(clang::BinaryOperator const& binary, value const& left,
                                       value const& right) {
  if (left.leads_to && right.leads_to) return unknown_of(binary.getType(), "depends on pointers", &binary);
  auto const& pointer = left.leads_to ? *left.leads_to : *right.leads_to;
  auto const& steps = left.leads_to ? right.number : left.number;
  bool const adds = binary.getOpcode() == clang::BO_Add;
  if (binary.isComparisonOp()) return unknown_of(binary.getType(), "depends on pointers", &binary);
  if (!steps || (!adds && binary.getOpcode() != clang::BO_Sub)) {
    escape(pointer, binary, "is used in an expression that is not followed");
    return of_address({});
  }
  return of_address(advanced(pointer, adds ? *steps : expression(0) - *steps));
}

value kernel_walker::evaluate_conditional(clang::AbstractConditionalOperator const& branch) {
  auto const when = evaluate_condition(branch.getCond());
  auto const before = now_;
  auto const one = [&](condition const& holds, clang::Expr const* arm) {
    if (is_constant(holds, false)) return skip(arm), value{};
    now_ = before;
    guards_.push_back(holds);
    auto const found = arm->isGLValue() ? (locate(arm), value{}) : evaluate(arm);
    guards_.pop_back();
    return found;
  };
  auto const then = one(when, branch.getTrueExpr());
  auto const after_then = now_;
  auto const otherwise = one(!when, branch.getFalseExpr());
  if (is_constant(when, true)) return now_ = after_then, then;
  if (is_constant(when, false)) return otherwise;
  merge(when, after_then, now_);
  return choice(when, then, otherwise);
}

/// A copy of an element reads it; what a constructor of the user does with one is not followed.
value kernel_walker::evaluate_construction(clang::CXXConstructExpr const& made) {
  auto const& constructor = *made.getConstructor();
  bool const copies = constructor.isCopyOrMoveConstructor() && constructor.isTrivial();
  for (unsigned i = 0; i < made.getNumArgs(); ++i) {
    auto const* const argument = made.getArg(i);
    if (copies && argument->isGLValue()) {
      read(locate(argument), *argument);
      continue;
    }
    bool const known = i < constructor.getNumParams();
    auto const type = known ? constructor.getParamDecl(i)->getType() : clang::QualType();
    bool const to_const = known && type.getNonReferenceType().isConstQualified();
    touch_argument(argument, !to_const, "the constructor of '" + made.getType().getAsString() + "'");
  }
  return {};
}

condition kernel_walker::evaluate_condition(clang::Expr const* expression) {
  auto const known = expression->isGLValue() ? read(locate(expression), *expression) : evaluate(expression);
  if (known.truth) return *known.truth;
  if (known.number) return *known.number != 0;
  return unknown_condition("is not known", at(expression->getSourceRange()));
}

}  // namespace ballast::mesicc
