// SPDX-License-Identifier: Apache-2.0
#include "printable_range.hpp"

#include "expression_of_isl.hpp"
#include "lowering.hpp"

namespace ballast::mesicc {
namespace {

constexpr unsigned max_pieces = 8;

element_range said(isl::pw_aff const& first, isl::pw_aff const& last, isl::set const& where) {
  return {expression_of(first.gist(where).coalesce(), where),
          expression_of(last.add_constant(1L).gist(where).coalesce(), where)};
}

/// Whether a range that is right where the hull exists is empty where it does not.
bool is_empty(element_range const& range, isl::set const& beyond) {
  lowering to_isl(beyond.ctx());
  auto const some = to_isl.of(range.begin).lt_set(to_isl.of(range.end)).params();
  return to_isl.take_causes().empty() && some.intersect(beyond).is_empty();
}

/// The same, said as one case if that is possible.
isl::set in_one_case(isl::set const& exists, isl::set const& where) {
  isl::set const hull = exists.unshifted_simple_hull();
  return hull.intersect(where).is_subset(exists) ? hull : exists;
}

void refuse_if_long(part_hull const& hull) {
  if (hull.first.n_piece() <= max_pieces && hull.last.n_piece() <= max_pieces) return;
  isl::exception::throw_invalid("a range of too many cases", __FILE__, __LINE__);
}

}  // namespace

element_range printable_range(part_hull const& hull, isl::set const& limits) {
  refuse_if_long(hull);
  auto const where = limits.params();
  auto const exists = hull.first.domain().intersect(hull.last.domain()).intersect(where).coalesce();
  auto const range = said(hull.first, hull.last, exists);
  if (is_empty(range, where.subtract(exists))) return range;
  auto const there = condition_of(in_one_case(exists, where).gist(where), where);
  return {select(there, range.begin, 0), select(there, range.end, 0)};
}

}  // namespace ballast::mesicc
