// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "atoms.hpp"
#include "cell_grid.cuh"
#include "force_field.hpp"

namespace ballast::md {

/// The grid whose cells have edges of at least `reach`: over `box` if every atom is inside it or the box is
/// periodic, else over a box that contains both. Cells are larger if there would be more than about 8 per
/// atom. Throws bad_argument ("reach") unless reach > 0.
cell_grid grid_for(std::vector<vec3> const& position, bounds const& box, double reach, boundary edges);

/// The atoms in each cell. Slots number the atoms cell by cell; within a cell the given order is kept.
struct cell_list {
  cell_grid grid;
  std::vector<std::uint32_t> start;  ///< slots of cell c: start[c] .. start[c + 1] - 1
  std::vector<std::uint32_t> atom;   ///< slot -> index of the atom in the given order
  std::vector<std::int32_t> cell;    ///< slot -> cell

  std::uint32_t atoms_in(std::int32_t c) const {
    return start[static_cast<std::size_t>(c) + 1] - start[static_cast<std::size_t>(c)];
  }
};
cell_list make_cell_list(std::vector<vec3> const& position, cell_grid const& grid);

/// Moves every atom into the box by whole periods: low <= position < high. Deterministic.
void wrap_into(std::vector<vec3>& position, bounds const& box);

/// Throws bad_argument ("atoms") naming two atoms at the same place, if there are any.
void check_no_coincident_atoms(atoms const& all, cell_list const& cells);

/// The array A of Chen et al. 2010, section 6.2, as slots of a cell list: entry a is the slot of A's atom a.
/// Tasks are runs of consecutive entries.
using slot_order = std::vector<std::uint32_t>;

/// The decomposition-sort of Chen et al. 2010: boxes (here cells) by number of atoms, most first, by a
/// counting sort; equal boxes in their own order, atoms of a box in the box's order.
slot_order decomposition_order(cell_list const& cells);

/// The randomization of Chen et al. 2010: a permutation that depends on `count` and `seed` alone.
slot_order random_order(std::uint32_t count, std::uint64_t seed);

}  // namespace ballast::md
