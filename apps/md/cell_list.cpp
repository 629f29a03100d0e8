// SPDX-License-Identifier: Apache-2.0
#include "cell_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ballast/error.hpp"
#include "splitmix.hpp"

namespace ballast::md {
namespace {

bool holds(bounds const& outer, bounds const& inner) {
  return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
         outer.high.x >= inner.high.x && outer.high.y >= inner.high.y && outer.high.z >= inner.high.z;
}

bounds both(bounds const& a, bounds const& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

double cells_along(double length, double reach) {
  return std::max(1.0, std::floor(length / reach * (1 - 1e-12)));
}

/// A reach, no smaller than requested, that keeps the number of cells in proportion to the atoms.
double affordable_cutoff(bounds const& box, double reach, std::size_t count) {
  double const most = 8.0 * static_cast<double>(count) + 4096;
  while (cells_along(box.length(0), reach) * cells_along(box.length(1), reach) *
             cells_along(box.length(2), reach) >
         most) {
    reach *= 1.25;
  }
  return reach;
}

double wrapped(double x, double low, double high) {
  double const inside = x - (high - low) * std::floor((x - low) / (high - low));
  return inside < low || inside >= high ? low : inside;
}

struct placed_atom {
  double x, y, z;
  std::int64_t id;

  auto operator<=>(placed_atom const&) const = default;
};

bool at_one_place(placed_atom const& a, placed_atom const& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Cells by number of atoms, most first; a counting sort, so equal cells keep their order.
std::vector<std::int32_t> cells_by_count(cell_list const& cells) {
  std::int32_t const all = cells.grid.cells();
  std::uint32_t most = 0;
  for (std::int32_t c = 0; c < all; ++c) most = std::max(most, cells.atoms_in(c));
  std::vector<std::uint32_t> start(std::size_t(most) + 2);
  for (std::int32_t c = 0; c < all; ++c) ++start[most - cells.atoms_in(c) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::int32_t> order(static_cast<std::size_t>(all));
  for (std::int32_t c = 0; c < all; ++c) order[start[most - cells.atoms_in(c)]++] = c;
  return order;
}

/// Uniform in 0 .. range - 1 to within 2^-32.
std::uint32_t below(std::uint32_t range, std::uint64_t counter) {
  return static_cast<std::uint32_t>(((splitmix::mix(counter) >> 32) * range) >> 32);
}

}  // namespace

cell_grid grid_for(std::vector<vec3> const& position, bounds const& box, double reach, boundary edges) {
  if (!(reach > 0)) throw_bad_argument("reach", reach, "more than 0 Angstrom");
  bounds const around = enclosing_box(position);
  bounds const space = edges == boundary::periodic || holds(box, around) ? box : both(box, around);
  reach = affordable_cutoff(space, reach, position.size());
  cell_grid grid{{space.low.x, space.low.y, space.low.z}, {}, {}, edges == boundary::periodic};
  for (int axis = 0; axis < 3; ++axis) {
    double const cells = cells_along(space.length(axis), reach);
    grid.n[axis] = static_cast<std::int32_t>(cells);
    grid.edge[axis] = space.length(axis) / cells;
  }
  return grid;
}

cell_list make_cell_list(std::vector<vec3> const& position, cell_grid const& grid) {
  auto const count = static_cast<std::uint32_t>(position.size());
  cell_list list{grid, std::vector<std::uint32_t>(static_cast<std::size_t>(grid.cells()) + 1),
                 std::vector<std::uint32_t>(count), std::vector<std::int32_t>(count)};
  std::vector<std::int32_t> cell_of(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    cell_of[i] = grid.cell_of(position[i].x, position[i].y, position[i].z);
    ++list.start[static_cast<std::size_t>(cell_of[i]) + 1];
  }
  for (std::size_t c = 1; c < list.start.size(); ++c) list.start[c] += list.start[c - 1];
  auto next = list.start;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t const slot = next[static_cast<std::size_t>(cell_of[i])]++;
    list.atom[slot] = i;
    list.cell[slot] = cell_of[i];
  }
  return list;
}

void wrap_into(std::vector<vec3>& position, bounds const& box) {
  for (auto& p : position)
    p = {wrapped(p.x, box.low.x, box.high.x), wrapped(p.y, box.low.y, box.high.y),
         wrapped(p.z, box.low.z, box.high.z)};
}

void check_no_coincident_atoms(atoms const& all, cell_list const& cells) {
  std::vector<placed_atom> here;
  for (std::size_t c = 0; c + 1 < cells.start.size(); ++c) {
    here.clear();
    for (auto slot = cells.start[c]; slot < cells.start[c + 1]; ++slot) {
      auto const i = cells.atom[slot];
      here.push_back({all.position[i].x, all.position[i].y, all.position[i].z, all.id[i]});
    }
    std::ranges::sort(here);
    auto const twin = std::ranges::adjacent_find(here, at_one_place);
    if (twin == here.end()) continue;
    throw_bad_argument(
        "atoms", fmt::format("a system whose atoms {} and {} are at the same place", twin[0].id, twin[1].id),
        "one with every atom at a place of its own");
  }
}

slot_order decomposition_order(cell_list const& cells) {
  slot_order order;
  order.reserve(cells.atom.size());
  for (auto const c : cells_by_count(cells)) {
    auto const first = cells.start[static_cast<std::size_t>(c)];
    for (std::uint32_t i = 0; i < cells.atoms_in(c); ++i) order.push_back(first + i);
  }
  return order;
}

slot_order random_order(std::uint32_t count, std::uint64_t seed) {
  slot_order order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t const stream = splitmix::mix(seed);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i, stream ^ i)]);
  return order;
}

}  // namespace ballast::md
