// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::nanodroplet {

constexpr std::uint32_t waters_per_group = 45;  ///< so that 356 waters are 8 groups
constexpr std::uint32_t atoms_per_group = 3 * waters_per_group;
constexpr std::uint32_t max_blocks = 8;  ///< as in Wende et al. 2012
constexpr int block_threads = 160;       ///< one for each atom of a group
/// For all kernels, so that one launch may mix them: K1 alone reaches this without the request, but a mix
/// would not.
constexpr int requested_per_multiprocessor = 4;

/// Consecutive waters whose atoms a block treats at once, as items 0 .. atoms() - 1: first all O, then all
/// H1, then all H2, so that threads of a warp run the same code.
struct water_group {
  std::uint32_t first, waters;

  BALLAST_HD std::uint32_t atoms() const { return 3 * waters; }
  BALLAST_HD std::uint32_t water_of(std::uint32_t item) const { return first + item % waters; }
  BALLAST_HD std::uint32_t atom_of(std::uint32_t item) const { return 3 * water_of(item) + item / waters; }
  BALLAST_HD bool is_oxygen(std::uint32_t item) const { return item < waters; }
};

/// Block b of a kernel treats the groups b, b + blocks(), ... of `waters` waters. The number of blocks, and
/// so the order of sums, depends only on the droplet.
struct water_groups {
  std::uint32_t waters;

  BALLAST_HD std::uint32_t groups() const { return (waters - 1) / waters_per_group + 1; }
  BALLAST_HD std::uint32_t blocks() const { return groups() < max_blocks ? groups() : max_blocks; }
  BALLAST_HD water_group operator[](std::uint32_t group) const {
    std::uint32_t const first = group * waters_per_group, left = waters - first;
    return {first, left < waters_per_group ? left : waters_per_group};
  }
};

/// The potential energy of the waters of one block at the end of a trajectory, in kcal/mol.
struct block_result {
  /// Terms within and between the waters (each block has half of the pairs with other blocks' waters), and
  /// with the beads.
  enum term { bond, angle, vdw, coulomb, mixed_vdw, mixed_coulomb, terms };

  double of[terms];
};

}  // namespace ballast::nanodroplet
