// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cell_list.hpp"

namespace ballast::md {

/// The array A of Chen et al. 2010, section 6.2, as slots of a cell list: entry a is the slot of A's atom a.
/// Tasks are runs of consecutive entries.
using slot_order = std::vector<std::uint32_t>;

/// Their decomposition-sort: boxes (here cells) by number of atoms, most first, by a counting sort; equal
/// boxes in their own order, atoms of a box in the box's order.
slot_order decomposition_order(cell_list const& cells);

/// Their randomization: a permutation that depends on `count` and `seed` alone.
slot_order random_order(std::uint32_t count, std::uint64_t seed);

}  // namespace ballast::md
