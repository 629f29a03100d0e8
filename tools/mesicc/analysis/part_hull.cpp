// SPDX-License-Identifier: Apache-2.0
#include "part_hull.hpp"

#include <algorithm>

namespace ballast::mesicc {
namespace {

constexpr unsigned most_pieces = 12;
constexpr std::size_t most_hulls = 4;

/// Only the thread id along the cut and the scalars are left.
isl::set without_others(access_elements const& one, axis along) {
  auto elements = one.elements.project_out_param(parameter::of(along == axis::x ? axis::y : axis::x));
  for (int const place : one.source->loops) elements = elements.project_out_param(parameter::loop(place));
  return elements;
}

/// Whether a hull of both holds nothing that is in neither.
bool meet_always(part_hull const& a, part_hull const& b) {
  auto const both = a.elements.unite(b.elements);
  return hull_of(both).elements.is_subset(both);
}

void add_piece(isl::set const& piece, std::vector<part_hull>& hulls) {
  auto hull = hull_of(piece);
  auto const beside = [&](part_hull const& other) { return meet_always(hull, other); };
  for (auto other = std::ranges::find_if(hulls, beside); other != hulls.end();
       other = std::ranges::find_if(hulls, beside)) {
    hull = hull_of(hull.elements.unite(other->elements).coalesce());
    hulls.erase(other);
  }
  hulls.push_back(hull);
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
  if (part.n_basic_set() > most_pieces) return {hull_of(part)};
  std::vector<part_hull> hulls;
  part.foreach_basic_set([&](isl::basic_set const& piece) { add_piece(piece, hulls); });
  if (hulls.size() > most_hulls) return {hull_of(part)};
  return hulls;
}

}  // namespace ballast::mesicc
