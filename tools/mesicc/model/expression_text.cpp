// SPDX-License-Identifier: Apache-2.0
#include "model/expression_text.hpp"

#include <cstddef>
#include <tuple>

namespace ballast::mesicc {
namespace {

/// How tightly an operator binds; operands that bind less get parentheses.
enum class binding { choice, any, all, equality, order, sum, product, prefix, whole };

struct piece {
  std::string text;
  binding binds = binding::whole;
};

binding tighter(binding one) { return binding(int(one) + 1); }

class writer {
 public:
  explicit writer(leaf_names const& names) : names_(names) {}

  piece of(expression const& value) const {
    switch (value->what) {
      case operation::constant:
        return number(value->value);
      case operation::thread:
        return {value->value == 0 ? names_.thread_x : names_.thread_y};
      case operation::loop:
        return {named(names_.loops, value->value)};
      case operation::scalar:
        return {named(names_.scalars, value->value)};
      case operation::part_begin:
        return {names_.part_begin};
      case operation::part_end:
        return {names_.part_end};
      case operation::unknown:
        return {"?"};
      default:
        return of_operands(value);
    }
  }

  piece of(condition const& value) const {
    auto const& parts = value->conditions;
    switch (value->what) {
      case relation::constant:
        return {value->value ? "true" : "false"};
      case relation::less:
        return infix(value->operands, " < ", binding::order, binding::sum);
      case relation::less_equal:
        return infix(value->operands, " <= ", binding::order, binding::sum);
      case relation::equal:
        return infix(value->operands, " == ", binding::equality, binding::sum);
      case relation::negation:
        return negated(parts[0]);
      case relation::all_of:
        return {in(parts[0], binding::all) + " && " + in(parts[1], binding::all), binding::all};
      // g++ warns without parentheses around "&&" within "||".
      case relation::any_of:
        return {in_any(parts[0]) + " || " + in_any(parts[1]), binding::any};
      default:
        return {"?"};
    }
  }

 private:
  static piece number(std::int64_t value) {
    return {std::to_string(value), value < 0 ? binding::prefix : binding::whole};
  }
  static std::string named(std::vector<std::string> const& names, std::int64_t place) {
    return names.at(std::size_t(place));
  }

  template <class Tree>
  std::string in(Tree const& value, binding least) const {
    auto const inner = of(value);
    return inner.binds >= least ? inner.text : "(" + inner.text + ")";
  }
  std::string in_any(condition const& value) const {
    return in(value, value->what == relation::any_of ? binding::any : binding::equality);
  }

  piece infix(std::vector<expression> const& operands, char const* sign, binding own, binding least) const {
    return {in(operands[0], least) + sign + in(operands[1], tighter(least)), own};
  }
  piece call(std::string const& function, std::vector<expression> const& operands) const {
    return {function + "(" + of(operands[0]).text + ", " + of(operands[1]).text + ")"};
  }
  piece sum(expression const& value) const {
    auto const& right = value->operands[1];
    if (is_constant(right) && right->value < 0) return less_positive(value->operands[0], right->value);
    return infix(value->operands, " + ", binding::sum, binding::sum);
  }
  /// "a - 3" for a + -3.
  piece less_positive(expression const& left, std::int64_t negative) const {
    return {in(left, binding::sum) + " - " + std::to_string(negative).substr(1), binding::sum};
  }
  piece difference(std::vector<expression> const& operands) const {
    if (is_constant(operands[0], 0)) return {"-" + in(operands[1], binding::whole), binding::prefix};
    return infix(operands, " - ", binding::sum, binding::sum);
  }
  piece negated(condition const& value) const {
    if (value->what == relation::equal)
      return infix(value->operands, " != ", binding::equality, binding::sum);
    return {"!" + in(value, binding::prefix), binding::prefix};
  }
  piece choice(expression const& value) const {
    auto const& [then, otherwise] = std::tie(value->operands[0], value->operands[1]);
    return {in(value->conditions[0], binding::any) + " ? " + in(then, binding::any) + " : " +
                in(otherwise, binding::any),
            binding::choice};
  }
  piece of_operands(expression const& value) const {
    auto const& operands = value->operands;
    switch (value->what) {
      case operation::add:
        return sum(value);
      case operation::subtract:
        return difference(operands);
      case operation::multiply:
        return infix(operands, " * ", binding::product, binding::product);
      case operation::divide:
        return infix(operands, " / ", binding::product, binding::product);
      case operation::remainder:
        return infix(operands, " % ", binding::product, binding::product);
      case operation::floor_divide:
        return call(names_.floor_divide, operands);
      case operation::minimum:
        return call(names_.minimum, operands);
      case operation::maximum:
        return call(names_.maximum, operands);
      default:
        return choice(value);
    }
  }

  leaf_names const& names_;
};

std::vector<std::string> names_of(std::vector<scalar> const& scalars, std::string scalar::*name) {
  std::vector<std::string> names;
  for (auto const& one : scalars) names.push_back(one.*name);
  return names;
}

std::vector<std::string> names_of(std::vector<loop> const& loops) {
  std::vector<std::string> names;
  for (auto const& one : loops) names.push_back(one.name);
  return names;
}

}  // namespace

leaf_names names_in_code(launch_model const& model) {
  leaf_names names;
  names.scalars = names_of(model.scalars, &scalar::spelling);
  names.loops = names_of(model.loops);
  return names;
}

leaf_names names_in_messages(launch_model const& model) {
  leaf_names names{
      .part_begin = "b", .part_end = "e", .floor_divide = "floor_divide", .minimum = "min", .maximum = "max"};
  names.scalars = names_of(model.scalars, &scalar::name);
  names.loops = names_of(model.loops);
  return names;
}

std::string text_of(expression const& value, leaf_names const& names) { return writer(names).of(value).text; }
std::string text_of(condition const& value, leaf_names const& names) { return writer(names).of(value).text; }

}  // namespace ballast::mesicc
