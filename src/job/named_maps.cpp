// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "ballast/access_map.hpp"
#include "ballast/error.hpp"
#include "unit_shares.hpp"

namespace ballast {

using namespace detail;
namespace {

constexpr std::size_t equal_shares = 0;

std::size_t checked(std::string_view argument, std::size_t per_unit) {
  if (per_unit == 0) throw_bad_argument(argument, per_unit, "at least 1");
  return per_unit;
}

/// As the last of several arguments in the name of a map.
std::string last_argument_text(std::size_t per_unit) {
  return per_unit == equal_shares ? "" : ", " + std::to_string(per_unit);
}

/// The indices of one dimension that the units share, and `halo` more on either side.
struct dimension_cut {
  int dimension;
  std::size_t per_unit, halo = 0;
};

index_range widened(index_range share, std::size_t halo, std::size_t size) {
  return {share.begin - std::min(share.begin, halo), share.end + std::min(size - share.end, halo)};
}

void check_dimension(std::string const& map, int dimension, extents const& array) {
  if (dimension < array.rank()) return;
  throw_bad_argument("map", map + " of an array of " + std::to_string(array.rank()) + " dimensions",
                     "a dimension of the array, counted from 0");
}

access_map map_of(std::string const& name, dimension_cut cut) {
  auto const overlap = cut.halo == 0 ? unit_overlap::never : unit_overlap::always;
  return {name, overlap, [shares = unit_shares(name, cut.per_unit), name, cut](map_view const& view) {
            check_dimension(name, cut.dimension, view.array);
            auto const size = view.array[cut.dimension];
            auto touched = whole(view.array);
            touched.sides[view.array.side_of(cut.dimension)] =
                widened(shares.of(view.part, view.units, size), cut.halo, size);
            return region(touched);
          }};
}

access_map elements_map(std::string const& name, std::size_t per_unit) {
  return {name, unit_overlap::never, [shares = unit_shares(name, per_unit)](map_view const& view) {
            return region({shares.of(view.part, view.units, view.array.elements())});
          }};
}

access_map slice_map(int dimension, std::size_t per_unit) {
  if (dimension < 0 || dimension > 2) throw_bad_argument("dimension", dimension, "0, the slowest, to 2");
  return map_of("slice(" + std::to_string(dimension) + last_argument_text(per_unit) + ")",
                {dimension, per_unit});
}

access_map neighborhood_map(std::size_t halo, std::size_t per_unit) {
  return map_of("neighborhood(" + std::to_string(halo) + last_argument_text(per_unit) + ")",
                {0, per_unit, halo});
}

}  // namespace

access_map one_to_one() { return elements_map("one_to_one", equal_shares); }
access_map one_to_one(std::size_t elements_per_unit) {
  auto const name = "one_to_one(" + std::to_string(elements_per_unit) + ")";
  return elements_map(name, checked("elements_per_unit", elements_per_unit));
}

access_map rows() { return map_of("rows", {0, equal_shares}); }
access_map rows(std::size_t rows_per_unit) {
  auto const name = "rows(" + std::to_string(rows_per_unit) + ")";
  return map_of(name, {0, checked("rows_per_unit", rows_per_unit)});
}

access_map neighborhood(std::size_t halo) { return neighborhood_map(halo, equal_shares); }
access_map neighborhood(std::size_t halo, std::size_t rows_per_unit) {
  return neighborhood_map(halo, checked("rows_per_unit", rows_per_unit));
}

access_map slice(int dimension) { return slice_map(dimension, equal_shares); }
access_map slice(int dimension, std::size_t per_unit) {
  return slice_map(dimension, checked("per_unit", per_unit));
}

access_map all() {
  return {"all", unit_overlap::always, [](map_view const& view) { return region(whole(view.array)); }};
}

}  // namespace ballast
