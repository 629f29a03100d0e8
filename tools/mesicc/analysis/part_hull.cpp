// SPDX-License-Identifier: Apache-2.0
#include "part_hull.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

constexpr unsigned most_pieces_of_hull = 12;
constexpr std::size_t most_hulls = 4;
constexpr long most_read_along = 32;  // elements between two ranges that are better one

/// Only the thread id along the cut and the scalars are left.
isl::set without_others(access_elements const& one, axis along) {
  auto elements = one.elements.project_out_param(parameter::of(along == axis::x ? axis::y : axis::x));
  for (int const place : one.source->loops) elements = elements.project_out_param(parameter::loop(place));
  return elements;
}

/// Whether `b` never begins far behind the end of `a`.
bool is_near(part_hull const& a, part_hull const& b) {
  return a.last.add_constant(most_read_along + 1).lt_set(b.first).is_empty();
}

bool are_near(isl::set const& a, isl::set const& b) {
  auto const first = hull_of(a), second = hull_of(b);
  return is_near(first, second) && is_near(second, first);
}

/// Together with all groups that it is near to.
void add_piece(isl::set piece, std::vector<isl::set>& groups) {
  auto const near = [&](isl::set const& group) { return are_near(piece, group); };
  for (auto group = std::ranges::find_if(groups, near); group != groups.end();
       group = std::ranges::find_if(groups, near)) {
    piece = piece.unite(*group).coalesce();
    groups.erase(group);
  }
  groups.push_back(piece);
}

}  // namespace

cut_direction::cut_direction(axis direction, launch_model const& model, lowering& to_isl) : along(direction) {
  auto const begin = to_isl.named(parameter::part_begin), end = to_isl.named(parameter::part_end);
  auto const threads = to_isl.of(direction == axis::x ? model.threads_x : model.threads_y);
  auto const part =
      to_isl.constant(0).le_set(begin).intersect(begin.lt_set(end)).intersect(end.le_set(threads));
  to_isl.take_causes();
  limits = to_isl.forget_unknowns(part).intersect(scalars_of(model, to_isl));
}

isl::set of_row(std::vector<access_elements const*> const& accesses, cut_direction const& cut) {
  auto row = isl::set::empty(cut.limits.space());
  for (auto const* const one : accesses) row = row.unite(without_others(*one, cut.along));
  return row.coalesce();
}

isl::set of_part(isl::set const& row, cut_direction const& cut) {
  auto const& all = cut.limits;
  auto const thread = all.param_pw_aff_on_domain(parameter::of(cut.along));
  auto const begin = all.param_pw_aff_on_domain(parameter::part_begin);
  auto const end = all.param_pw_aff_on_domain(parameter::part_end);
  auto const within = begin.le_set(thread).intersect(thread.lt_set(end));
  return row.intersect(within).project_out_param(parameter::of(cut.along)).coalesce();
}

part_hull hull_of(isl::set const& part) {
  auto const first = part.min_multi_pw_aff().at(0).coalesce(),
             last = part.max_multi_pw_aff().at(0).coalesce();
  auto const element = isl::pw_aff(part.ctx(), "{ [i] -> [(i)] }");
  auto const space = element.domain().space();
  return {first, last,
          first.insert_domain(space).le_set(element).intersect(element.le_set(last.insert_domain(space)))};
}

std::vector<part_hull> separate_hulls(isl::set const& part) {
  if (part.is_empty()) return {};
  if (part.n_basic_set() > most_pieces_of_hull) return {hull_of(part)};
  std::vector<isl::set> groups;
  part.foreach_basic_set([&](isl::basic_set const& piece) { add_piece(piece, groups); });
  if (groups.size() > most_hulls) return {hull_of(part)};
  std::vector<part_hull> hulls;
  for (auto const& group : groups) hulls.push_back(hull_of(group));
  return hulls;
}

}  // namespace ballast::mesicc
