// SPDX-License-Identifier: Apache-2.0
#include "model/expression.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace ballast::mesicc {
namespace {

using constant = std::optional<std::int64_t>;

constant constant_of(expression const& value) {
  return is_constant(value) ? constant(value->value) : std::nullopt;
}

expression leaf(operation what, std::int64_t value = 0) {
  return expression(expression_node{what, value, {}, {}, {}, {}});
}

expression binary(operation what, expression const& a, expression const& b) {
  return expression(expression_node{what, 0, {a, b}, {}, {}, {}});
}

constant divided(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return a / b;
}

constant floor_divided(std::int64_t a, std::int64_t b) {
  auto const quotient = divided(a, b);
  if (!quotient) return std::nullopt;
  return *quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

constant computed_or_none(operation what, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (what) {
    case operation::add:
      return __builtin_add_overflow(a, b, &result) ? constant() : result;
    case operation::subtract:
      return __builtin_sub_overflow(a, b, &result) ? constant() : result;
    case operation::multiply:
      return __builtin_mul_overflow(a, b, &result) ? constant() : result;
    case operation::divide:
      return divided(a, b);
    case operation::floor_divide:
      return floor_divided(a, b);
    case operation::remainder:
      return divided(a, b) ? constant(a % b) : std::nullopt;
    case operation::minimum:
      return std::min(a, b);
    case operation::maximum:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

expression folded(operation what, expression const& a, expression const& b) {
  auto const left = constant_of(a), right = constant_of(b);
  if (left && right) {
    if (auto const value = computed_or_none(what, *left, *right)) return *value;
  }
  return binary(what, a, b);
}

/// (a + 1) + 2 as a + 3.
std::optional<expression> constants_joined(expression const& a, expression const& b) {
  if (a->what != operation::add || !is_constant(a->operands[1]) || !is_constant(b)) return std::nullopt;
  auto const sum = computed_or_none(operation::add, a->operands[1]->value, b->value);
  if (!sum) return std::nullopt;
  return a->operands[0] + expression(*sum);
}

condition compared(relation what, expression const& a, expression const& b) {
  auto const left = constant_of(a), right = constant_of(b);
  if (left && right) {
    if (what == relation::less) return condition(*left < *right);
    if (what == relation::less_equal) return condition(*left <= *right);
    return condition(*left == *right);
  }
  return condition(condition_node{what, false, {a, b}, {}, {}, {}});
}

condition combined(relation what, std::vector<condition> parts) {
  return condition(condition_node{what, false, {}, std::move(parts), {}, {}});
}

}  // namespace

expression::expression(std::int64_t value)
    : expression(expression_node{operation::constant, value, {}, {}, {}, {}}) {}
expression::expression(expression_node node)
    : node_(std::make_shared<expression_node const>(std::move(node))) {}

condition::condition(bool value) : condition(condition_node{relation::constant, value, {}, {}, {}, {}}) {}
condition::condition(condition_node node) : node_(std::make_shared<condition_node const>(std::move(node))) {}

expression thread_id(axis direction) { return leaf(operation::thread, std::int64_t(direction)); }
expression loop_counter(int loop) { return leaf(operation::loop, loop); }
expression scalar_value(int scalar) { return leaf(operation::scalar, scalar); }
expression part_begin() { return leaf(operation::part_begin); }
expression part_end() { return leaf(operation::part_end); }

expression unknown_value(std::string why, place where) {
  return expression(expression_node{operation::unknown, 0, {}, {}, std::move(why), std::move(where)});
}

expression operator+(expression const& a, expression const& b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (is_constant(a)) return folded(operation::add, b, a);
  if (auto const sum = constants_joined(a, b)) return *sum;
  return folded(operation::add, a, b);
}

expression operator-(expression const& a, expression const& b) {
  auto const lowest = std::numeric_limits<std::int64_t>::min();
  if (is_constant(b) && !is_constant(b, lowest)) return a + expression(-b->value);
  return folded(operation::subtract, a, b);
}

expression operator*(expression const& a, expression const& b) {
  if (is_constant(a, 1) || is_constant(b, 0)) return b;
  if (is_constant(b, 1) || is_constant(a, 0)) return a;
  return folded(operation::multiply, a, b);
}

expression operator/(expression const& a, expression const& b) {
  return is_constant(b, 1) ? a : folded(operation::divide, a, b);
}

expression operator%(expression const& a, expression const& b) { return folded(operation::remainder, a, b); }

expression floor_divide(expression const& a, expression const& b) {
  return is_constant(b, 1) ? a : folded(operation::floor_divide, a, b);
}

expression smaller_of(expression const& a, expression const& b) { return folded(operation::minimum, a, b); }
expression larger_of(expression const& a, expression const& b) { return folded(operation::maximum, a, b); }

expression select(condition const& when, expression const& then, expression const& otherwise) {
  if (is_constant(when, true)) return then;
  if (is_constant(when, false) || (is_constant(then) && is_constant(otherwise, then->value)))
    return otherwise;
  return expression(expression_node{operation::select, 0, {then, otherwise}, {when}, {}, {}});
}

condition operator<(expression const& a, expression const& b) { return compared(relation::less, a, b); }
condition operator<=(expression const& a, expression const& b) {
  return compared(relation::less_equal, a, b);
}
condition operator>(expression const& a, expression const& b) { return b < a; }
condition operator>=(expression const& a, expression const& b) { return b <= a; }
condition operator==(expression const& a, expression const& b) { return compared(relation::equal, a, b); }
condition operator!=(expression const& a, expression const& b) { return !(a == b); }

condition operator!(condition const& a) {
  if (a->what == relation::constant) return condition(!a->value);
  if (a->what == relation::negation) return a->conditions[0];
  return combined(relation::negation, {a});
}

condition operator&&(condition const& a, condition const& b) {
  if (is_constant(a, true) || is_constant(b, false)) return b;
  if (is_constant(b, true) || is_constant(a, false)) return a;
  return combined(relation::all_of, {a, b});
}

condition operator||(condition const& a, condition const& b) {
  if (is_constant(a, false) || is_constant(b, true)) return b;
  if (is_constant(b, false) || is_constant(a, true)) return a;
  return combined(relation::any_of, {a, b});
}

condition unknown_condition(std::string why, place where) {
  return condition(condition_node{relation::unknown, false, {}, {}, std::move(why), std::move(where)});
}

bool is_constant(expression const& value) { return value->what == operation::constant; }
bool is_constant(expression const& value, std::int64_t wanted) {
  return is_constant(value) && value->value == wanted;
}
bool is_constant(condition const& value, bool wanted) {
  return value->what == relation::constant && value->value == wanted;
}

expression_node const* first_unknown(expression const& value) {
  if (value->what == operation::unknown) return &*value;
  for (auto const& operand : value->operands) {
    if (auto const* const found = first_unknown(operand)) return found;
  }
  return nullptr;
}

bool has_unknown(condition const& value) {
  if (value->what == relation::unknown) return true;
  return std::ranges::any_of(value->conditions, has_unknown) ||
         std::ranges::any_of(value->operands,
                             [](auto const& operand) { return first_unknown(operand) != nullptr; });
}

}  // namespace ballast::mesicc
