// SPDX-License-Identifier: Apache-2.0
// Integers of a kernel, as far as they can be followed: mathematical integers that surely fit their types.
#include <llvm/Support/MathExtras.h>

#include "source/integer_bounds.hpp"
#include "source/kernel_walker.hpp"

namespace ballast::mesicc {
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

/// Whether a variable of this type that is counted beyond its end begins anew at the other one.
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

/// A number of one type as another one. It has not overflown its own, since that is undefined.
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
  // What overflows in a signed type is undefined in C++, so that it may be taken not to; but not in a shift.
  bool const wraps = wraps_around(type) || what == clang::BO_Shl;
  return of_number(wraps ? fitted(*result, type, where, "may wrap around") : *result);
}

/// Nothing for what is no arithmetic of integers without size.
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

/// A value as a variable of this type keeps it.
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
