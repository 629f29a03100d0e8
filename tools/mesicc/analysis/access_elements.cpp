// SPDX-License-Identifier: Apache-2.0
#include "access_elements.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace ballast::mesicc {
namespace {

isl::set between(isl::pw_aff const& first, isl::pw_aff const& value, isl::pw_aff const& end) {
  return first.le_set(value).intersect(value.lt_set(end));
}

isl::set runs_of(launch_model const& model, int place, lowering& to_isl) {
  auto const& run = model.loops[std::size_t(place)];
  auto const counter = to_isl.named(parameter::loop(place)), first = to_isl.of(run.first),
             bound = to_isl.of(run.bound);
  auto const passed = run.step > 0 ? counter.sub(first) : first.sub(counter);
  auto const left = run.step > 0 ? bound.sub(counter) : counter.sub(bound);
  auto const none = to_isl.constant(0), step = to_isl.constant(std::abs(run.step));
  auto const runs = none.le_set(passed).intersect(none.lt_set(left));
  return std::abs(run.step) == 1 ? runs : runs.intersect(passed.tdiv_r(step).eq_set(none));
}

/// The set in which an access happens. Afterwards `to_isl` assumes that set.
isl::set guards_and_loops(launch_model const& model, access const& one, isl::set happens, lowering& to_isl) {
  to_isl.assume(happens);
  for (int const place : one.loops) to_isl.assume(happens = happens.intersect(runs_of(model, place, to_isl)));
  for (auto const& guard : one.guards)
    if (!to_isl.is_open(guard)) to_isl.assume(happens = happens.intersect(to_isl.where(guard)).coalesce());
  return happens;
}

/// The distance in elements from one index of a dimension to the next.
std::int64_t stride(array_argument const& array, std::size_t dimension) {
  std::int64_t elements = 1;
  for (auto place = dimension + 1; place < array.extents.size(); ++place)
    elements *= array.extents[place]->value;
  return elements;
}

/// The flattened index, and the set in which no index but the first leaves its extent: leaving it is
/// undefined in C++.
std::pair<isl::pw_aff, isl::set> flattened(array_argument const& array, access const& one, lowering& to_isl) {
  auto flat = to_isl.constant(0);
  auto legal = to_isl.all();
  auto const is_flat = one.index.size() < array.extents.size();
  for (std::size_t place = 0; place < one.index.size(); ++place) {
    auto const index = to_isl.of(one.index[place]);
    flat = flat.add(index.mul(to_isl.constant(is_flat ? 1 : stride(array, place))));
    if (place > 0)
      legal = legal.intersect(between(to_isl.constant(0), index, to_isl.of(array.extents[place])));
  }
  return {flat, legal};
}

/// The set in which a flattened index is not past the last element.
isl::set before_end(array_argument const& array, isl::pw_aff const& flat, lowering& to_isl) {
  if (first_unknown(array.extents[0])) return to_isl.all();
  return flat.lt_set(to_isl.of(array.extents[0]).mul(to_isl.constant(stride(array, 0))));
}

/// True if all extents but the first are constants, as C++ requires.
bool has_shape(array_argument const& array) {
  return std::all_of(std::next(array.extents.begin()), array.extents.end(),
                     [](auto const& extent) { return is_constant(extent); });
}

bool fits(access const& one, array_argument const& array) {
  return one.index.size() == array.extents.size() || one.index.size() == 1;
}

struct reached_elements {
  isl::set legal, in_rows, any;  ///< in the array; also with the first index out of bounds; with any index
};

reached_elements of_variable(array_argument const& array, access const& one, lowering& to_isl) {
  auto const element = to_isl.element();
  auto const exists = element.ge_set(to_isl.constant(0));
  if (array.extents.empty() || !has_shape(array) || !fits(one, array)) {
    to_isl.of(unknown_value("is of an array whose shape is not known", array.where));
    return {exists, exists, exists};
  }
  auto const [flat, legal] = flattened(array, one, to_isl);
  auto const inside = legal.intersect(before_end(array, flat, to_isl));
  if (is_placed_at_run_time(array)) {
    auto const any = element.eq_set(flat);
    return {inside.intersect(any), legal.intersect(any), any};
  }
  auto const any = element.eq_set(flat.add(to_isl.of(array.offset)));
  return {exists.intersect(inside).intersect(any), legal.intersect(any), any};
}

/// The different causes. A cause without a place gets the place of the access, `where`.
std::vector<cause> located(std::vector<cause> const& causes, place const& where) {
  std::vector<cause> different;
  for (auto one : causes) {
    if (one.where.file.empty()) one.where = where;
    if (std::ranges::find(different, one) == different.end()) different.push_back(std::move(one));
  }
  return different;
}

void simplify(access_elements& touched) {
  if (!touched.elements.involves_locals()) return;
  touched.elements = isl::manage(isl_set_remove_divs(touched.elements.copy())).coalesce();
  touched.exact = false;
}

access_elements elements_of(launch_model const& model, access const& one, isl::set const& context,
                            precision wanted, lowering& to_isl) {
  access_elements result;
  result.source = &one;
  auto const happens = guards_and_loops(model, one, context, to_isl);
  result.other_causes = located(to_isl.take_causes(), one.where);
  auto const [legal, in_rows, any] = of_variable(model.arrays[std::size_t(one.array)], one, to_isl);
  result.index_causes = located(to_isl.take_causes(), one.where);
  auto const all_run =
      std::ranges::all_of(one.loops, [&](int place) { return model.loops[std::size_t(place)].runs_whole; });
  result.exact = one.always && all_run && result.other_causes.empty() && result.index_causes.empty();
  result.leaves_array =
      result.exact && model.scalars.empty() && !happens.intersect(any).is_subset(happens.intersect(legal));
  // A launch may be refused at run time for a write beyond the array, so the range must show such a write.
  bool const may_turn_out_beyond = result.exact && one.kind == access_kind::write && !model.scalars.empty();
  auto const touched = may_turn_out_beyond ? in_rows : legal;
  result.elements = to_isl.forget_unknowns(happens.intersect(touched)).coalesce();
  if (wanted == precision::no_divisions) simplify(result);
  return result;
}

/// The result if isl has no answer.
access_elements any_elements(access const& one, isl::set const& context, lowering& to_isl) {
  to_isl.take_causes();
  return {&one, context, false, false, {{"is too complex", one.where}}, {}};
}

isl::set threads_along(axis direction, expression const& threads, lowering& to_isl) {
  auto const thread = to_isl.named(parameter::of(direction));
  return between(to_isl.constant(0), thread, to_isl.of(threads));
}

}  // namespace

isl::set threads_of(launch_model const& model, lowering& to_isl) {
  auto const threads = threads_along(axis::x, model.threads_x, to_isl)
                           .intersect(threads_along(axis::y, model.threads_y, to_isl));
  to_isl.take_causes();
  return to_isl.forget_unknowns(threads);
}

isl::set scalars_of(launch_model const& model, lowering& to_isl) {
  auto possible = to_isl.all();
  for (std::size_t place = 0; place < model.scalars.size(); ++place) {
    auto const& one = model.scalars[place];
    auto const value = to_isl.named(parameter::scalar(std::int64_t(place)));
    if (one.minimum) possible = possible.intersect(value.ge_set(to_isl.constant(*one.minimum)));
    if (one.maximum) possible = possible.intersect(value.le_set(to_isl.constant(*one.maximum)));
  }
  return possible;
}

std::vector<access_elements> elements_of_accesses(launch_model const& model, precision wanted,
                                                  lowering& to_isl, isl_session const& session) {
  auto const context = threads_of(model, to_isl).intersect(scalars_of(model, to_isl));
  std::vector<access_elements> all;
  for (auto const& one : model.accesses) {
    auto touched = session.ask([&] { return elements_of(model, one, context, wanted, to_isl); });
    all.push_back(touched ? *std::move(touched) : any_elements(one, context, to_isl));
  }
  to_isl.assume(to_isl.all());
  return all;
}

}  // namespace ballast::mesicc
