// SPDX-License-Identifier: Apache-2.0
#include "part_hull.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "growing_union.hpp"

namespace ballast::mesicc {
namespace {

constexpr unsigned max_pieces_of_hull = 12;
constexpr std::size_t max_hulls = 4;
constexpr long max_gap = 32;  // elements between two ranges that are better merged

/// True if `b` never begins far after the end of `a`.
bool is_near(part_hull const& a, part_hull const& b) {
  return a.last.add_constant(max_gap + 1).lt_set(b.first).is_empty();
}

struct group {
  isl::set pieces;
  part_hull hull;
};

bool are_near(group const& a, group const& b) { return is_near(a.hull, b.hull) && is_near(b.hull, a.hull); }

group group_of(isl::set const& pieces) { return {pieces, hull_of(pieces)}; }

/// Merges the piece with all groups near it.
void add_piece(isl::set const& piece, std::vector<group>& groups) {
  auto grown = group_of(piece);
  auto const near = [&](group const& one) { return are_near(grown, one); };
  for (auto one = std::ranges::find_if(groups, near); one != groups.end();
       one = std::ranges::find_if(groups, near)) {
    grown = group_of(grown.pieces.unite(one->pieces).coalesce());
    groups.erase(one);
  }
  groups.push_back(std::move(grown));
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

/// Leaves as parameters only the thread id along the cut and the scalars.
isl::set of_row(access_elements const& one, cut_direction const& cut) {
  auto elements = one.elements.project_out_param(parameter::of(cut.along == axis::x ? axis::y : axis::x));
  for (int const place : one.source->loops) elements = elements.project_out_param(parameter::loop(place));
  return in_fewer_pieces(elements);
}

std::optional<isl::set> of_row(std::vector<access_elements const*> const& accesses, cut_direction const& cut,
                               isl_session const& session) {
  std::set<isl::set, as_written> different;
  growing_union row(isl::set::empty(cut.limits.space()));
  for (auto const* const one : accesses)
    if (!session.ask([&] { return different.insert(of_row(*one, cut)); })) return std::nullopt;
  for (auto const& one : different)
    if (!session.ask([&] { return row.add(one), true; })) return std::nullopt;
  return session.ask([&] { return in_fewer_pieces(row.all()); });
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
  if (part.n_basic_set() > max_pieces_of_hull) return {hull_of(part)};
  std::vector<group> groups;
  part.foreach_basic_set([&](isl::basic_set const& piece) { add_piece(piece, groups); });
  if (groups.size() > max_hulls) return {hull_of(part)};
  std::vector<part_hull> hulls;
  for (auto& one : groups) hulls.push_back(std::move(one.hull));
  return hulls;
}

isl::set drawn_together(isl::set const& pieces) {
  auto together = isl::set::empty(pieces.space());
  for (auto const& hull : separate_hulls(pieces)) together = together.unite(hull.elements);
  return together;
}

std::optional<isl::set> in_few_pieces(isl::set const& row, isl_session const& session) {
  if (has_few_pieces(row)) return row;
  std::vector<isl::set> pieces;
  row.foreach_basic_set([&](isl::basic_set const& piece) { pieces.push_back(piece); });
  while (pieces.size() > 1) {
    std::vector<isl::set> drawn;
    for (std::size_t one = 0; one < pieces.size(); one += 2) {
      auto const both = one + 1 < pieces.size() ? pieces[one].unite(pieces[one + 1]) : pieces[one];
      auto const near = session.ask([&] { return drawn_together(both); });
      if (!near) return std::nullopt;
      drawn.push_back(*near);
    }
    pieces = std::move(drawn);
  }
  return pieces.front();
}

}  // namespace ballast::mesicc
