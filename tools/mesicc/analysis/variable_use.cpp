// SPDX-License-Identifier: Apache-2.0
#include "variable_use.hpp"

#include <isl/ast.h>
#include <isl/cpp.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "growing_union.hpp"
#include "lowering.hpp"
#include "model/expression.hpp"
#include "model/launch_plan.hpp"
#include "part_hull.hpp"

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
        return argument(0) / argument(1);  // for values that are not negative
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

/// `value` where `limits`, a set of parameters, hold. Throws isl::exception if no expression can represent
/// it.
expression expression_of(isl::pw_aff const& value, isl::set const& limits) {
  return reader(isl::ast_build::from_context(limits).expr_from(value)).value();
}

/// The condition that the parameters are in `holds`, which is within `limits`.
condition condition_of(isl::set const& holds, isl::set const& limits) {
  return reader(isl::ast_build::from_context(limits).expr_from(holds)).holds();
}

constexpr unsigned max_pieces = 8;

element_range said(isl::pw_aff const& first, isl::pw_aff const& last, isl::set const& where) {
  return {expression_of(first.gist(where).coalesce(), where),
          expression_of(last.add_constant(1L).gist(where).coalesce(), where)};
}

/// True if `range`, which is right where its hull exists, is empty in `beyond`, where the hull does not
/// exist.
bool is_empty(element_range const& range, isl::set const& beyond) {
  lowering to_isl(beyond.ctx());
  auto const some = to_isl.of(range.begin).lt_set(to_isl.of(range.end)).params();
  return to_isl.take_causes().empty() && some.intersect(beyond).is_empty();
}

/// A set that equals `exists` within `where`, in one case if there is such a set.
isl::set in_one_case(isl::set const& exists, isl::set const& where) {
  isl::set const hull = exists.unshifted_simple_hull();
  return hull.intersect(where).is_subset(exists) ? hull : exists;
}

void refuse_if_long(part_hull const& hull) {
  if (hull.first.n_piece() <= max_pieces && hull.last.n_piece() <= max_pieces) return;
  isl::exception::throw_invalid("a range of too many cases", __FILE__, __LINE__);
}

/// The elements of `hull`, counted from the beginning of the variable, where `limits` hold; empty where the
/// hull is. Throws isl::exception if no expression of reasonable length can represent it.
element_range printable_range(part_hull const& hull, isl::set const& limits) {
  refuse_if_long(hull);
  auto const where = limits.params();
  auto const exists = hull.first.domain().intersect(hull.last.domain()).intersect(where).coalesce();
  auto const range = said(hull.first, hull.last, exists);
  if (is_empty(range, where.subtract(exists))) return range;
  auto const there = condition_of(in_one_case(exists, where).gist(where), where);
  return {select(there, range.begin, 0), select(there, range.end, 0)};
}

std::vector<access_elements const*> exact_ones(std::vector<access_elements const*> const& accesses) {
  std::vector<access_elements const*> exact;
  std::ranges::copy_if(accesses, std::back_inserter(exact), [](auto const* one) { return one->exact; });
  return exact;
}

isl::set part_of_row(isl::set const& row, cut_direction const& cut) {
  return of_part(row, cut).intersect(cut.limits).coalesce();
}

/// The elements that a part touches, in few pieces.
std::optional<isl::set> part_of(std::vector<access_elements const*> const& accesses, cut_direction const& cut,
                                isl_session const& session) {
  auto const row = of_row(accesses, cut, session);
  auto const few = row ? in_few_pieces(*row, session) : row;
  if (!few) return std::nullopt;
  return session.ask([&] { return part_of_row(*few, cut); });
}

/// True if a part writes each element between its first and its last written one. False if comparing takes
/// too much.
bool writes_all_of(part_hull const& written, accessed_variable const& variable, cut_direction const& cut,
                   isl_session const& session) {
  auto const row = of_row(exact_ones(variable.writes), cut, session);
  return row && has_few_pieces(*row) && session.ask(false, [&] {
    return written.elements.intersect(cut.limits).is_subset(part_of_row(*row, cut));
  });
}

/// `read` with all elements of the written hull, unless a part writes all of these. Elements that may stay
/// unwritten must be there before, since all of the hull is copied back.
isl::set with_unwritten(isl::set const& read, accessed_variable const& variable, variable_use const& use,
                        cut_direction const& cut, isl_session const& session) {
  if (!use.writes || writes_all_of(*use.writes, variable, cut, session)) return read;
  return read.unite(use.writes->elements.intersect(cut.limits)).coalesce();
}

std::optional<std::vector<part_hull>> hulls_of_reads(accessed_variable const& variable,
                                                     variable_use const& use, cut_direction const& cut,
                                                     isl_session const& session) {
  auto const read = part_of(variable.exposed_reads, cut, session);
  if (!read) return std::nullopt;
  return session.ask([&] { return separate_hulls(with_unwritten(*read, variable, use, cut, session)); });
}

bool is_within(std::vector<part_hull> const& parts, part_hull const& whole, cut_direction const& cut) {
  return std::ranges::all_of(
      parts, [&](auto const& part) { return part.elements.intersect(cut.limits).is_subset(whole.elements); });
}

std::optional<std::vector<element_range>> printable(std::vector<part_hull> const& hulls,
                                                    cut_direction const& cut, isl_session const& session) {
  return session.ask([&] {
    std::vector<element_range> ranges;
    for (auto const& hull : hulls) ranges.push_back(printable_range(hull, cut.limits));
    return ranges;
  });
}

/// The hull of what is written; an empty list if nothing is written.
std::optional<std::vector<part_hull>> hulls_of_writes(accessed_variable const& variable,
                                                      cut_direction const& cut, isl_session const& session) {
  auto const written = part_of(variable.writes, cut, session);
  if (!written) return std::nullopt;
  return session.ask(
      [&] { return written->is_empty() ? std::vector<part_hull>() : std::vector{hull_of(*written)}; });
}

}  // namespace

part_hull whole_hull(cut_direction const& cut) {
  auto const nowhere = isl::set::empty(cut.limits.params().space()).pw_aff_on_domain(0L);
  return {nowhere, nowhere, isl::set::universe(cut.limits.space())};
}

std::optional<variable_use> use_of(accessed_variable const& variable, cut_direction const& cut,
                                   isl_session const& session) {
  variable_use use;
  if (!variable.writes.empty()) {
    auto const written = hulls_of_writes(variable, cut, session);
    if (!written) return std::nullopt;
    if (!written->empty()) use.writes = written->front();
    use.writes_ends = std::ranges::all_of(variable.writes, [](auto const* one) { return one->exact; });
  }
  auto const reads = hulls_of_reads(variable, use, cut, session);
  use.reads_all = !reads;
  use.reads = reads ? *reads : std::vector{whole_hull(cut)};
  return use;
}

std::optional<array_plan> printable_plan(variable_use& use, cut_direction const& cut,
                                         isl_session const& session) {
  array_plan plan;
  if (use.writes) {
    auto const writes = printable({*use.writes}, cut, session);
    if (!writes) return std::nullopt;
    plan.writes = *writes;
    plan.writes_ends = use.writes_ends;
  }
  if (!use.reads_all) {
    auto const reads = printable(use.reads, cut, session);
    if (reads) plan.reads = *reads;
    use.reads_all = !reads;
  }
  plan.reads_all = use.reads_all;
  if (use.reads_all) use.reads = {whole_hull(cut)};
  plan.reads_only_what_it_writes =
      use.writes && session.ask(false, [&] { return is_within(use.reads, *use.writes, cut); });
  return plan;
}

}  // namespace ballast::mesicc
