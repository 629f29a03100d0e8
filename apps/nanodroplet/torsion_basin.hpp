// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "force_field.cuh"

namespace ballast::nanodroplet {

/// The metastable regions of M12 and M7: each torsion is in one of three wells, -120 .. 0, 0 .. 120 and 120
/// .. 240 degrees, between the tops of its potential. A basin's digits in base 3 are the wells 0, 1, 2 of its
/// torsions, the first the highest.
constexpr std::uint32_t torsion_wells = 3, torsion_basins = 81;

using m12_torsion_angles = std::array<double, m12::torsions>;

/// Torsions in radian, -pi .. pi.
std::uint32_t basin_of(m12_torsion_angles const& torsions);

/// Where the torsions' potential is least: -60, 60 or 180 degrees, in radian.
m12_torsion_angles middle_of(std::uint32_t basin);

/// By how much each torsion is off the middle, -pi .. pi.
m12_torsion_angles off_middle(m12_torsion_angles const& torsions, std::uint32_t basin);

/// The basins that one torsion turned by a third, either way, leads to: the perturbation of a conformer.
std::vector<std::uint32_t> basins_beside(std::uint32_t basin);

/// A sign for each torsion: - + or t (trans), as "tt+-".
std::string name_of_basin(std::uint32_t basin);

/// A molecule by itself where its energy has a minimum.
struct molecule_minimum {
  std::vector<vec3> beads;
  double energy;  ///< kcal/mol
};

/// The minima of M12, or without sides of M7, in that basin, the lowest first: one for each way in which the
/// beads at its sides stand off the chain. Found only once in a process. Any thread may call.
std::vector<molecule_minimum> const& minima_in(std::uint32_t basin, bool has_sides);

}  // namespace ballast::nanodroplet
