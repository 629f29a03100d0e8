// SPDX-License-Identifier: Apache-2.0
#include "expression_of_isl.hpp"

#include <isl/ast.h>

#include <cstdint>
#include <string>

#include "lowering.hpp"

namespace ballast::mesicc {
namespace {

[[noreturn]] void refuse(isl_ast_expr* said) {
  isl::manage(said);
  isl::exception::throw_invalid("an expression of a kind that ranges do not have", __FILE__, __LINE__);
  std::terminate();
}

std::int64_t integer(isl::val const& value) {
  constexpr long least = INT64_MIN / 2, most = INT64_MAX / 2;
  auto const context = value.ctx();
  if (!value.is_int() || value.lt(isl::val(context, least)) || value.gt(isl::val(context, most))) {
    isl::exception::throw_invalid("a number that does not fit", __FILE__, __LINE__);
  }
  return value.num_si();
}

expression named(std::string const& name) {
  if (name == parameter::part_begin) return part_begin();
  if (name == parameter::part_end) return part_end();
  return scalar_value(std::stoi(name.substr(1)));
}

class reader {
 public:
  explicit reader(isl::ast_expr const& said) : said_(said.get()) {}

  expression value() const {
    switch (isl_ast_expr_get_type(said_)) {
      case isl_ast_expr_int:
        return integer(isl::manage(isl_ast_expr_int_get_val(said_)));
      case isl_ast_expr_id:
        return named(isl::manage(isl_ast_expr_id_get_id(said_)).name());
      default:
        return operation_of(isl_ast_expr_op_get_type(said_));
    }
  }

  condition holds() const {
    if (isl_ast_expr_get_type(said_) == isl_ast_expr_int) return condition(!is_constant(value(), 0));
    switch (isl_ast_expr_op_get_type(said_)) {
      case isl_ast_expr_op_and:
      case isl_ast_expr_op_and_then:
        return all([](auto const& a, auto const& b) { return a && b; });
      case isl_ast_expr_op_or:
      case isl_ast_expr_op_or_else:
        return all([](auto const& a, auto const& b) { return a || b; });
      case isl_ast_expr_op_eq:
        return argument(0) == argument(1);
      case isl_ast_expr_op_le:
        return argument(0) <= argument(1);
      case isl_ast_expr_op_lt:
        return argument(0) < argument(1);
      case isl_ast_expr_op_ge:
        return argument(0) >= argument(1);
      case isl_ast_expr_op_gt:
        return argument(0) > argument(1);
      default:
        refuse(isl_ast_expr_copy(said_));
    }
  }

 private:
  isl::ast_expr part(int place) const { return isl::manage(isl_ast_expr_op_get_arg(said_, place)); }
  expression argument(int place) const { return reader(part(place)).value(); }
  condition condition_at(int place) const { return reader(part(place)).holds(); }
  int parts() const { return isl_ast_expr_op_get_n_arg(said_); }

  template <class Combine>
  condition all(Combine combine) const {
    auto combined = condition_at(0);
    for (int place = 1; place < parts(); ++place) combined = combine(combined, condition_at(place));
    return combined;
  }
  expression min_or_max(expression (*of)(expression const&, expression const&)) const {
    auto result = argument(0);
    for (int place = 1; place < parts(); ++place) result = of(result, argument(place));
    return result;
  }

  expression operation_of(isl_ast_expr_op_type type) const {
    switch (type) {
      case isl_ast_expr_op_min:
        return min_or_max(&smaller_of);
      case isl_ast_expr_op_max:
        return min_or_max(&larger_of);
      case isl_ast_expr_op_minus:
        return expression(0) - argument(0);
      case isl_ast_expr_op_add:
        return argument(0) + argument(1);
      case isl_ast_expr_op_sub:
        return argument(0) - argument(1);
      case isl_ast_expr_op_mul:
        return argument(0) * argument(1);
      case isl_ast_expr_op_div:  // divides without remainder
      case isl_ast_expr_op_pdiv_q:
        return argument(0) / argument(1);  // of what is not negative
      case isl_ast_expr_op_fdiv_q:
        return floor_divide(argument(0), argument(1));
      case isl_ast_expr_op_pdiv_r:
      case isl_ast_expr_op_zdiv_r:
        return argument(0) % argument(1);
      case isl_ast_expr_op_cond:
      case isl_ast_expr_op_select:
        return select(condition_at(0), argument(1), argument(2));
      default:
        refuse(isl_ast_expr_copy(said_));
    }
  }

  isl_ast_expr* said_;
};

}  // namespace

expression expression_of(isl::pw_aff const& value, isl::set const& limits) {
  return reader(isl::ast_build::from_context(limits).expr_from(value)).value();
}

condition condition_of(isl::set const& holds, isl::set const& limits) {
  return reader(isl::ast_build::from_context(limits).expr_from(holds)).holds();
}

}  // namespace ballast::mesicc
