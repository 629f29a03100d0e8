// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate.hpp"

#include <algorithm>
#include <cstddef>

namespace ballast::mesicc {
namespace {

std::int64_t wrapped(std::uint64_t value) { return std::int64_t(value); }

std::int64_t divided(operation what, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return what == operation::remainder ? 0 : wrapped(-std::uint64_t(a));
  if (what == operation::remainder) return a % b;
  bool const is_rounded_up = what == operation::floor_divide && a % b != 0 && (a < 0) != (b < 0);
  return a / b - (is_rounded_up ? 1 : 0);
}

std::int64_t computed(operation what, std::int64_t a, std::int64_t b) {
  auto const left = std::uint64_t(a), right = std::uint64_t(b);
  switch (what) {
    case operation::add:
      return wrapped(left + right);
    case operation::subtract:
      return wrapped(left - right);
    case operation::multiply:
      return wrapped(left * right);
    case operation::minimum:
      return std::min(a, b);
    case operation::maximum:
      return std::max(a, b);
    default:
      return divided(what, a, b);
  }
}

}  // namespace

std::int64_t evaluate(expression const& value, leaf_values const& leaves) {
  switch (value->what) {
    case operation::constant:
      return value->value;
    case operation::thread:
      return leaves.thread.at(std::size_t(value->value));
    case operation::loop:
      return leaves.loops.at(std::size_t(value->value));
    case operation::scalar:
      return leaves.scalars.at(std::size_t(value->value));
    case operation::part_begin:
      return leaves.part_begin;
    case operation::part_end:
      return leaves.part_end;
    case operation::unknown:
      return leaves.unknown ? leaves.unknown(*value) : 0;
    case operation::select:
      return evaluate(value->operands[evaluate(value->conditions[0], leaves) ? 0 : 1], leaves);
    default:
      return computed(value->what, evaluate(value->operands[0], leaves),
                      evaluate(value->operands[1], leaves));
  }
}

bool evaluate(condition const& value, leaf_values const& leaves) {
  auto const operand = [&](std::size_t place) { return evaluate(value->operands[place], leaves); };
  auto const part = [&](std::size_t place) { return evaluate(value->conditions[place], leaves); };
  switch (value->what) {
    case relation::constant:
      return value->value;
    case relation::less:
      return operand(0) < operand(1);
    case relation::less_equal:
      return operand(0) <= operand(1);
    case relation::equal:
      return operand(0) == operand(1);
    case relation::negation:
      return !part(0);
    case relation::all_of:
      return part(0) && part(1);
    case relation::any_of:
      return part(0) || part(1);
    default:
      return leaves.unknown_condition && leaves.unknown_condition(*value);
  }
}

}  // namespace ballast::mesicc
