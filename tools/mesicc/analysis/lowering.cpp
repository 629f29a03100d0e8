// SPDX-License-Identifier: Apache-2.0
#include "lowering.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ballast::mesicc {
namespace {

constexpr long max_quotients = 3;

std::string unknown_name(int place) { return "u" + std::to_string(place); }

/// The quotient, rounded down, if it lies between `first` and `last`.
isl::pw_aff by_cases(isl::pw_aff const& dividend, isl::val const& first, isl::val const& last,
                     isl::val const& size) {
  auto const domain = dividend.domain();
  auto result = domain.pw_aff_on_domain(first);
  for (auto quotient = first; quotient.lt(last); quotient = quotient.add(1L)) {
    auto const next = quotient.add(1L);
    auto const is_more = domain.pw_aff_on_domain(next.mul(size)).le_set(dividend);
    result = result.subtract_domain(is_more).union_add(isl::pw_aff(is_more.pw_aff_on_domain(next)));
  }
  return result;
}

}  // namespace

lowering::lowering(isl::ctx context)
    : context_(context),
      all_(isl::space::unit(context).add_unnamed_tuple(1).universe_set()),
      context_known_(all_) {}

isl::pw_aff lowering::element() const { return isl::pw_aff(context_, "{ [i] -> [(i)] }"); }

isl::pw_aff lowering::unknown(std::string why, place where) {
  causes_.push_back({std::move(why), std::move(where)});
  return named(unknown_name(unknowns_++));
}

isl::pw_aff lowering::of(expression const& value) {
  auto const operand = [&](std::size_t place) { return of(value->operands[place]); };
  switch (value->what) {
    case operation::constant:
      return constant(value->value);
    case operation::thread:
      return named(parameter::of(axis(value->value)));
    case operation::loop:
      return named(parameter::loop(value->value));
    case operation::scalar:
      return named(parameter::scalar(value->value));
    case operation::part_begin:
      return named(parameter::part_begin);
    case operation::part_end:
      return named(parameter::part_end);
    case operation::add:
      return operand(0).add(operand(1));
    case operation::subtract:
      return operand(0).sub(operand(1));
    case operation::minimum:
      return operand(0).min(operand(1));
    case operation::maximum:
      return operand(0).max(operand(1));
    case operation::multiply:
      return product(value);
    case operation::select:
      return choice(value);
    case operation::unknown:
      return unknown(value->why, value->where);
    default:
      return quotient(value);
  }
}

isl::pw_aff lowering::product(expression const& value) {
  auto const left = of(value->operands[0]), right = of(value->operands[1]);
  if (isl_pw_aff_is_cst(left.get()) || isl_pw_aff_is_cst(right.get())) return left.mul(right);
  return unknown("is a product of two values that are not constant");
}

isl::pw_aff lowering::quotient(expression const& value) {
  auto const& divisor = value->operands[1];
  if (!is_constant(divisor) || divisor->value == 0 ||
      divisor->value == std::numeric_limits<std::int64_t>::min()) {
    return unknown("is divided by something that is not constant");
  }
  auto const dividend = of(value->operands[0]);
  auto const size = std::abs(divisor->value);
  auto const whole = divided(dividend, size, value->what);
  if (value->what == operation::remainder) return dividend.sub(whole.scale(isl::val(context_, long(size))));
  return divisor->value < 0 ? whole.neg() : whole;
}

/// Divides by a positive `size`, towards 0 unless `rounding` is floor_divide. If no dividend is negative, it
/// rounds down, which is the same. If it rounds down and few quotients are possible, as in (y + 1) % rows, it
/// distinguishes cases, which gives simpler ranges.
isl::pw_aff lowering::divided(isl::pw_aff const& dividend, std::int64_t size, operation rounding) const {
  auto const known = dividend.intersect_domain(context_known_);
  auto const least = known.min_val(), most = known.max_val();
  auto const step = isl::val(context_, long(size));
  auto const is_down = rounding == operation::floor_divide || least.is_nonneg();
  if (is_down && least.is_int() && most.is_int()) {
    auto const first = least.div(step).floor(), last = most.div(step).floor();
    if (last.sub(first).le(isl::val(context_, max_quotients))) return by_cases(dividend, first, last, step);
  }
  if (is_down) return dividend.scale_down(step).floor();
  return dividend.tdiv_q(constant(size));
}

isl::pw_aff lowering::choice(expression const& value) {
  auto const when = where(value->conditions[0]);
  auto const then = of(value->operands[0]).intersect_domain(when);
  return then.union_add(of(value->operands[1]).subtract_domain(when)).coalesce();
}

isl::set lowering::where(condition const& holds) {
  auto const operand = [&](std::size_t place) { return of(holds->operands[place]); };
  auto const part = [&](std::size_t place) { return where(holds->conditions[place]); };
  switch (holds->what) {
    case relation::constant:
      return holds->value ? all_ : isl::set::empty(all_.space());
    case relation::less:
      return operand(0).lt_set(operand(1));
    case relation::less_equal:
      return operand(0).le_set(operand(1));
    case relation::equal:
      return operand(0).eq_set(operand(1));
    case relation::negation:
      return part(0).complement();
    case relation::all_of:
      return part(0).intersect(part(1));
    case relation::any_of:
      return part(0).unite(part(1));
    default:
      return unknown(holds->why, holds->where).ge_set(constant(0));  // either way is possible
  }
}

bool lowering::is_open(condition const& holds) {
  if (holds->what == relation::negation) return is_open(holds->conditions[0]);
  auto const is_unknown = [](expression const& operand) { return operand->what == operation::unknown; };
  auto const operand = std::ranges::find_if(holds->operands, is_unknown);
  bool const is_unknown_itself = holds->what == relation::unknown;
  if (!is_unknown_itself && operand == holds->operands.end()) return false;
  if (is_unknown_itself)
    causes_.push_back({holds->why, holds->where});
  else
    causes_.push_back({(*operand)->why, (*operand)->where});
  return true;
}

std::vector<cause> lowering::take_causes() { return std::exchange(causes_, {}); }

isl::set lowering::forget_unknowns(isl::set elements) {
  for (int place = 0; place < unknowns_; ++place) elements = elements.project_out_param(unknown_name(place));
  unknowns_ = 0;
  return elements;
}

}  // namespace ballast::mesicc
