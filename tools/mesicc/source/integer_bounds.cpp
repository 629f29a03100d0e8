// SPDX-License-Identifier: Apache-2.0
#include "source/integer_bounds.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

using integer = integer_bounds::integer;

integer clipped(integer value) {
  return std::clamp(value, -integer_bounds::unbounded, integer_bounds::unbounded);
}

/// The product of two clipped values; unbounded if it does not fit, since no real value is that large.
integer product(integer a, integer b) {
  integer result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return clipped(result);
  return (a < 0) != (b < 0) ? -integer_bounds::unbounded : integer_bounds::unbounded;
}

bool is_leaf(expression const& value) {
  return value->what == operation::thread || value->what == operation::loop ||
         value->what == operation::scalar;
}
bool is_same_leaf(expression const& a, expression const& b) {
  return is_leaf(a) && a->what == b->what && a->value == b->value;
}

class bounds_finder {
 public:
  bounds_finder(launch_model const& model, std::vector<condition> const& guards)
      : model_(model), guards_(guards) {}

  integer_bounds of(expression const& value) {
    if (++steps_ > 4000) return {};  // a tree that shares its nodes may be large when walked
    switch (value->what) {
      case operation::constant:
        return {value->value, value->value};
      case operation::thread:
      case operation::loop:
      case operation::scalar:
        return of_leaf(value);
      case operation::select:
        return of_select(value);
      case operation::unknown:
      case operation::part_begin:
      case operation::part_end:
      case operation::floor_divide:
        return {};
      default:
        return of_binary(*value, of(value->operands[0]), of(value->operands[1]));
    }
  }

 private:
  integer_bounds of_leaf(expression const& value) {
    auto found = value->what == operation::thread ? of_thread(value->value)
                 : value->what == operation::loop ? of_loop(model_.loops[std::size_t(value->value)])
                                                  : of_scalar(model_.scalars[std::size_t(value->value)]);
    if (depth_ > 3) return found;
    ++depth_;
    for (auto const& guard : guards_) narrow(found, value, guard, true);
    --depth_;
    return found;
  }

  integer_bounds of_thread(std::int64_t direction) {
    auto const extent = of(direction == std::int64_t(axis::x) ? model_.threads_x : model_.threads_y);
    return {0, std::clamp<integer>(extent.high - 1, 0, (integer(1) << 31) - 1)};
  }

  integer_bounds of_loop(loop const& counted) {
    auto const first = of(counted.first), bound = of(counted.bound);
    if (counted.step > 0) return {first.low, std::max(first.low, clipped(bound.high - 1))};
    return {std::min(first.high, clipped(bound.low + 1)), first.high};
  }

  static integer_bounds of_scalar(scalar const& given) {
    integer_bounds found;
    if (given.minimum) found.low = *given.minimum;
    if (given.maximum) found.high = *given.maximum;
    return found;
  }

  integer_bounds of_select(expression const& value) {
    auto const a = of(value->operands[0]), b = of(value->operands[1]);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }

  static integer_bounds of_binary(expression_node const& node, integer_bounds a, integer_bounds b) {
    switch (node.what) {
      case operation::add:
        return {clipped(a.low + b.low), clipped(a.high + b.high)};
      case operation::subtract:
        return {clipped(a.low - b.high), clipped(a.high - b.low)};
      case operation::multiply: {
        auto const [low, high] = std::minmax(
            {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
        return {low, high};
      }
      case operation::divide:
        if (b.low < 1) return {};
        return {a.low < 0 ? a.low / b.low : a.low / b.high, a.high < 0 ? a.high / b.high : a.high / b.low};
      case operation::remainder:
        if (b.low < 1) return {};
        return {a.low >= 0 ? 0 : std::max(a.low, 1 - b.high), a.high <= 0 ? 0 : std::min(a.high, b.high - 1)};
      case operation::minimum:
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case operation::maximum:
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      default:
        return {};
    }
  }

  /// Narrows a leaf's bounds by a condition that holds, or does not.
  void narrow(integer_bounds& found, expression const& leaf, condition const& guard, bool holds) {
    switch (guard->what) {
      case relation::negation:
        return narrow(found, leaf, guard->conditions[0], !holds);
      case relation::all_of:
      case relation::any_of:
        if ((guard->what == relation::all_of) != holds) return;
        for (auto const& part : guard->conditions) narrow(found, leaf, part, holds);
        return;
      case relation::less:
      case relation::less_equal:
        return narrow_by_order(found, leaf, *guard, holds);
      case relation::equal:
        return narrow_by_equality(found, leaf, *guard, holds);
      default:
        return;
    }
  }

  void narrow_by_order(integer_bounds& found, expression const& leaf, condition_node const& guard,
                       bool holds) {
    auto const& a = guard.operands[0];
    auto const& b = guard.operands[1];
    bool const strict = (guard.what == relation::less) == holds;
    integer const gap = strict ? 1 : 0;
    bool const leaf_is_smaller = is_same_leaf(leaf, a) == holds;
    if (!is_same_leaf(leaf, a) && !is_same_leaf(leaf, b)) return;
    if (is_same_leaf(leaf, a) && is_same_leaf(leaf, b)) return;
    auto const other = of(is_same_leaf(leaf, a) ? b : a);
    if (leaf_is_smaller)
      found.high = std::min(found.high, clipped(other.high - gap));
    else
      found.low = std::max(found.low, clipped(other.low + gap));
  }

  void narrow_by_equality(integer_bounds& found, expression const& leaf, condition_node const& guard,
                          bool holds) {
    bool const first = is_same_leaf(leaf, guard.operands[0]);
    if (!first && !is_same_leaf(leaf, guard.operands[1])) return;
    auto const other = of(guard.operands[first ? 1 : 0]);
    if (holds) {
      found = {std::max(found.low, other.low), std::min(found.high, other.high)};
    } else if (other.low == other.high) {
      if (found.low == other.low) ++found.low;
      if (found.high == other.high) --found.high;
    }
  }

  launch_model const& model_;
  std::vector<condition> const& guards_;
  int depth_ = 0, steps_ = 0;
};

}  // namespace

integer_bounds bounds_of(expression const& value, launch_model const& model,
                         std::vector<condition> const& guards) {
  return bounds_finder(model, guards).of(value);
}

}  // namespace ballast::mesicc
