// SPDX-License-Identifier: Apache-2.0
#include "printable_range.hpp"

#include "expression_of_isl.hpp"

namespace ballast::mesicc {
namespace {

constexpr unsigned most_pieces = 8;

/// What a value of one piece is there, said of all parameters.
isl::pw_aff everywhere(isl::pw_aff const& value) {
  isl::pw_aff extended = value;
  value.foreach_piece([&](isl::set const&, isl::multi_aff const& piece) { extended = piece.at(0); });
  return extended;
}

bool is_of_one_piece(part_hull const& hull) { return hull.first.n_piece() == 1 && hull.last.n_piece() == 1; }

/// Whether the plain formulas of first and last say themselves where the hull is empty.
bool is_empty_by_itself(part_hull const& plain, isl::set const& beyond) {
  return plain.first.le_set(plain.last).intersect(beyond).is_empty();
}

element_range said(isl::pw_aff const& first, isl::pw_aff const& last, isl::set const& where) {
  return {expression_of(first.gist(where).coalesce(), where),
          expression_of(last.add_constant(1L).gist(where).coalesce(), where)};
}

void refuse_if_long(part_hull const& hull) {
  if (hull.first.n_piece() <= most_pieces && hull.last.n_piece() <= most_pieces) return;
  isl::exception::throw_invalid("a range of too many cases", __FILE__, __LINE__);
}

}  // namespace

element_range printable_range(part_hull const& hull, isl::set const& limits) {
  refuse_if_long(hull);
  auto const where = limits.params();
  auto const exists = hull.first.domain().intersect(hull.last.domain());
  auto const beyond = where.subtract(exists);
  if (beyond.is_empty()) return said(hull.first, hull.last, where);
  if (is_of_one_piece(hull)) {
    part_hull const plain{everywhere(hull.first), everywhere(hull.last), hull.elements};
    if (is_empty_by_itself(plain, beyond)) return said(plain.first, plain.last, where);
  }
  auto const range = said(hull.first, hull.last, where.intersect(exists).coalesce());
  auto const there = condition_of(exists.gist(where).coalesce(), where);
  return {select(there, range.begin, 0), select(there, range.end, 0)};
}

}  // namespace ballast::mesicc
