// SPDX-License-Identifier: Apache-2.0
// Expressions of a kernel: values and places, their pointers and integers, and the accesses that they make.
#include <clang/AST/Attr.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "source/dialect.hpp"
#include "source/integer_bounds.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {

using llvm::dyn_cast;
using llvm::isa;

namespace {

bool is_integer(clang::QualType type) { return type->isIntegralOrEnumerationType(); }

/// Strips wrappers that do not change an expression's value.
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

/// True if the variable is one of CUDA's thread variables.
bool names_thread_of_cuda(clang::VarDecl const& variable) {
  auto const name = variable.getName();
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim" ||
         name == "warpSize";
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

/// Evaluates the parts of an unknown kind of expression, which must not contain the address of an array.
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

/// Follows only a cast from rows to elements: `(float*)a` of `float (*a)[N]`.
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

/// The address after a cast to a base class: a part of the element.
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

/// Evaluates `&&` or `||`. The right side is evaluated only if the left one has not decided.
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

/// Evaluates a construction. A copy of an element reads it; a user constructor's use of an element is not
/// followed.
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

int kernel_walker::array_named(clang::VarDecl const& variable) {
  auto const* const canonical = variable.getCanonicalDecl();
  auto const [known, is_new] = named_.try_emplace(canonical, int(model_.arrays.size()));
  if (!is_new) return known->second;
  auto const shape = shape_of(variable.getType(), context_);
  array_argument made;
  made.parameter = made.variable = variable.getNameAsString();
  made.element_type = shape.element.getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  made.element_bytes = std::size_t(context_.getTypeSizeInChars(shape.element).getQuantity());
  for (auto const extent : shape.extents) made.extents.push_back(extent);
  if (made.extents.empty()) made.extents.push_back(1);
  made.where = model_.where;
  model_.arrays.push_back(std::move(made));
  return known->second;
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
  return place;  // else its own memory: storing addresses of arrays there is refused
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
    auto const what = evaluate(assignment.getRHS());  // evaluated before its target, as C++17 requires
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

/// The value of an operand that is about to be stepped, without recording a second read.
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

element_path kernel_walker::whole_array(int array) const {
  auto const rank = model_.arrays[std::size_t(array)].extents.size();
  return {array, std::vector<expression>(rank, 0), 0};
}

address kernel_walker::decayed(location const& array) const {
  auto to = array.elements;
  for (auto& one : to.targets) one.path.fresh = !one.path.within_element;
  return to;
}

location kernel_walker::dereferenced(address const& pointer) const {
  location place;
  place.elements = pointer;
  for (auto& one : place.elements.targets) {
    if (!one.path.within_element) ++one.path.settled;
    one.path.fresh = false;
  }
  return place;
}

address kernel_walker::address_of(location const& place) const {
  if (place.local != nullptr) return {};
  auto to = place.elements;
  for (auto& one : to.targets) {
    if (!one.path.within_element) one.path.settled = std::max(0, one.path.settled - 1);
    one.path.is_member = one.path.within_element;
  }
  return to;
}

address kernel_walker::advanced(address pointer, expression const& by) {
  for (auto& one : pointer.targets) {
    if (one.path.is_member && !is_constant(by, 0))
      return lost_address("is that of a member, from which steps lead to other elements");
    advance(one.path, by);
  }
  return pointer;
}

/// Moves a path by `by` steps. Steps that may leave a row count flattened elements.
void kernel_walker::advance(element_path& path, expression const& by) {
  if (path.within_element || is_constant(by, 0)) return;
  auto const& extents = model_.arrays[std::size_t(path.array)].extents;
  auto& steps = path.index[std::size_t(path.flat ? 0 : path.settled)];
  bool const stays = path.flat || path.settled == 0 || path.fresh ||
                     surely_below(steps + by, extents[std::size_t(path.settled)]);
  if (stays) {
    steps = steps + by;
    return;
  }
  expression stride = 1;
  for (auto d = std::size_t(path.settled) + 1; d < extents.size(); ++d) stride = stride * extents[d];
  flatten(path);
  path.index[0] = path.index[0] + by * stride;
}

bool kernel_walker::surely_below(expression const& number, expression const& bound) {
  if (first_unknown(number) != nullptr || !is_constant(bound)) return false;
  return bounds_of(number, model_, guards_).within({0, bound->value - 1});
}

/// Makes the index of a path count elements of the whole array.
void kernel_walker::flatten(element_path& path) const {
  auto const& extents = model_.arrays[std::size_t(path.array)].extents;
  path.settled = std::max(path.settled, 0);
  if (path.flat || extents.size() < 2) return;
  auto element = path.index[0];
  for (std::size_t d = 1; d < extents.size(); ++d) element = element * extents[d] + path.index[d];
  path.index = {element};
  path.flat = true;
}

void kernel_walker::record(access_kind kind, address const& elements, clang::SourceRange where) {
  for (auto const& one : elements.targets) {
    access noted;
    noted.array = one.path.array;
    noted.kind = kind;
    noted.index = index_of(one.path, where);
    noted.guards = guards_;
    if (!is_constant(one.when, true)) noted.guards.push_back(one.when);
    noted.loops = loops_;
    bool const leaves_a_part = kind == access_kind::write && one.path.within_element;
    noted.always = unsure_ == 0 && !leaves_a_part;
    noted.where = at(where);
    model_.accesses.push_back(std::move(noted));
  }
}

/// The index of a path, with all elements of the dimensions not chosen if a part of an array is taken as a
/// whole.
std::vector<expression> kernel_walker::index_of(element_path const& path, clang::SourceRange where) const {
  auto index = path.index;
  auto const rank = model_.arrays[std::size_t(path.array)].extents.size();
  if (path.flat && std::size_t(path.settled) < rank) return {unknown_value("is a whole row", at(where))};
  if (path.flat) return index;
  for (auto d = std::size_t(path.settled); d < index.size(); ++d)
    index[d] = unknown_value("is a whole row", at(where));
  return index;
}

std::string kernel_walker::named(address const& pointer) const {
  auto const& array = model_.arrays[std::size_t(pointer.targets.front().path.array)];
  return "'" + (array.parameter.empty() ? array.variable : array.parameter) + "'";
}

void kernel_walker::escape(address const& pointer, clang::Expr const& where, std::string const& how) {
  if (pointer.lost) return fail_lost(pointer, where);
  if (pointer.targets.empty()) return;
  fail(where.getSourceRange(),
       "the address of " + named(pointer) + " " + how + ", so that accesses by it cannot be seen");
}

void kernel_walker::escape_into_exposed(address const& pointer, clang::VarDecl const& variable) {
  if (pointer.targets.empty() && !pointer.lost) return;
  bool const is_volatile = variable.getType().isVolatileQualified();
  fail(clang::SourceRange(variable.getLocation()),
       "the pointer '" + variable.getNameAsString() + "' cannot be followed, because " +
           (is_volatile ? "it is volatile" : "its own address is taken or something refers to it"));
}

void kernel_walker::fail_lost(address const& pointer, clang::Expr const& where) {
  if (found_.size() == found_before_)  // otherwise it probably follows from an earlier message
    fail(where.getSourceRange(), "cannot tell which array this reaches: its address " + pointer.why);
}

namespace {

using integer = integer_bounds::integer;

integer_bounds bounds_of_type(clang::QualType type, clang::ASTContext const& context) {
  if (type->isBooleanType()) return {0, 1};
  auto const bits = int(context.getIntWidth(type));
  auto const all = integer(1) << std::min(bits, 100);
  if (type->isUnsignedIntegerOrEnumerationType()) return {0, all - 1};
  return {-(all / 2), all / 2 - 1};
}

std::optional<int> exponent_of(expression const& number) {
  if (!is_constant(number) || number->value <= 0 || !llvm::isPowerOf2_64(std::uint64_t(number->value)))
    return std::nullopt;
  return int(llvm::Log2_64(std::uint64_t(number->value)));
}

std::optional<expression> power_of_two(expression const& exponent) {
  if (!is_constant(exponent) || exponent->value < 0 || exponent->value > 62) return std::nullopt;
  return expression(std::int64_t(1) << exponent->value);
}

std::optional<condition> compared(clang::BinaryOperatorKind what, expression const& a, expression const& b) {
  switch (what) {
    case clang::BO_LT:
      return a < b;
    case clang::BO_GT:
      return a > b;
    case clang::BO_LE:
      return a <= b;
    case clang::BO_GE:
      return a >= b;
    case clang::BO_EQ:
      return a == b;
    case clang::BO_NE:
      return a != b;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// True if a variable of this type wraps around when it is stepped beyond its range.
bool kernel_walker::wraps_around(clang::QualType type) const {
  return !type->isSignedIntegerOrEnumerationType() ||
         context_.getIntWidth(type) < context_.getIntWidth(context_.IntTy);
}

bool kernel_walker::fits(expression const& number, clang::QualType type) {
  return first_unknown(number) == nullptr &&
         bounds_of(number, model_, guards_).within(bounds_of_type(type, context_));
}

expression kernel_walker::fitted(expression number, clang::QualType type, clang::Expr const& where,
                                 char const* why) {
  if (auto const* const unknown = first_unknown(number)) return unknown_value(unknown->why, unknown->where);
  if (fits(number, type)) return number;
  return unknown_value(why, at(where.getSourceRange()));
}

/// A number of one type converted to another. It has not overflowed its own type, since that is undefined.
expression kernel_walker::converted(expression number, clang::CastExpr const& cast) {
  auto const from = cast.getSubExpr()->getType();
  auto const own = bounds_of_type(from, context_), other = bounds_of_type(cast.getType(), context_);
  auto const found = bounds_of(number, model_, guards_);
  integer_bounds const met{std::max(own.low, found.low), std::min(own.high, found.high)};
  if (first_unknown(number) == nullptr && met.within(other)) return number;
  return fitted(std::move(number), cast.getType(), cast, "may not fit its type");
}

value kernel_walker::arithmetic(clang::BinaryOperatorKind what, value const& left, value const& right,
                                clang::QualType type, clang::Expr const& where) {
  if (!left.number || !right.number) return unknown_of(type, "is not known", &where);
  auto const& a = *left.number;
  auto const& b = *right.number;
  if (auto const result = compared(what, a, b)) return of_truth(*result);
  auto const result = computed(what, a, b);
  if (!result) return unknown_of(type, "is computed from bits", &where);
  // Signed overflow is undefined in C++, so it may be assumed not to happen; but not in a shift.
  bool const wraps = wraps_around(type) || what == clang::BO_Shl;
  return of_number(wraps ? fitted(*result, type, where, "may wrap around") : *result);
}

/// The result of an operation; nothing if it is no arithmetic of unbounded integers.
std::optional<expression> kernel_walker::computed(clang::BinaryOperatorKind what, expression const& a,
                                                  expression const& b) {
  bool const positive = bounds_of(a, model_, guards_).low >= 0;
  switch (what) {
    case clang::BO_Add:
      return a + b;
    case clang::BO_Sub:
      return a - b;
    case clang::BO_Mul:
      return a * b;
    case clang::BO_Div:
      return a / b;
    case clang::BO_Rem:
      return a % b;
    case clang::BO_Shl:
      if (auto const factor = power_of_two(b)) return a * *factor;
      return std::nullopt;
    case clang::BO_Shr:
      if (auto const divisor = power_of_two(b); divisor && positive) return a / *divisor;
      return std::nullopt;
    case clang::BO_And:
      if (is_constant(b) && b->value >= 0 && positive && exponent_of(b + 1)) return a % (b + 1);
      if (is_constant(a) && a->value >= 0 && exponent_of(a + 1) && bounds_of(b, model_, guards_).low >= 0)
        return b % (a + 1);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

value kernel_walker::unknown_of(clang::QualType type, std::string why, clang::Stmt const* where) const {
  if (type->isPointerType()) return of_address(lost_address(std::move(why)));
  if (!type->isIntegralOrEnumerationType()) return {};
  auto const place = where == nullptr ? mesicc::place{} : at(where->getSourceRange());
  if (type->isBooleanType()) return of_truth(unknown_condition(std::move(why), place));
  return of_number(unknown_value(std::move(why), place));
}

/// A value as a variable of this type stores it.
value kernel_walker::as_followed(value const& known, clang::QualType type, clang::Stmt const* where) const {
  if (type->isPointerType() && known.leads_to) {
    auto kept = *known.leads_to;
    for (auto& one : kept.targets) one.path.fresh = false;
    return of_address(std::move(kept));
  }
  if (type->isIntegralOrEnumerationType() && known.number) return known;
  return unknown_of(type, "is not known", where);
}

bool kernel_walker::is_followed(clang::VarDecl const& variable) const {
  auto const type = variable.getType();
  if (!variable.hasLocalStorage() || type.isVolatileQualified()) return false;
  if (!type->isIntegralOrEnumerationType() && !type->isPointerType()) return false;
  auto const* const owner = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  auto const exposed = owner == nullptr ? exposed_.end() : exposed_.find(owner->getCanonicalDecl());
  return exposed != exposed_.end() && !exposed->second.contains(&variable);
}

}  // namespace ballast::mesicc
