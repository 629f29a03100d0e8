// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "force_field.cuh"

namespace ballast::nanodroplet {

/// The metastable regions of M12 and M7: each torsion is in one of three wells, -120 .. 0, 0 .. 120 and 120
/// .. 240 degrees, between the maxima of its potential. A basin's digits in base 3 are the wells 0, 1, 2 of
/// its torsions, the first the most significant.
constexpr std::uint32_t torsion_wells = 3, torsion_basins = 81;

using m12_torsion_angles = std::array<double, m12::torsions>;

/// The basin of these torsions, in radian, -pi .. pi.
std::uint32_t basin_of(m12_torsion_angles const& torsions);

/// The minima of the torsions' potential: -60, 60 or 180 degrees, in radian.
m12_torsion_angles middle_of(std::uint32_t basin);

/// The distance of each torsion from the middle of the basin, -pi .. pi.
m12_torsion_angles off_middle(m12_torsion_angles const& torsions, std::uint32_t basin);

/// The basins reached by turning one torsion by a third, either way: the perturbation of a conformer.
std::vector<std::uint32_t> basins_beside(std::uint32_t basin);

/// A sign for each torsion: - + or t (trans), as "tt+-".
std::string name_of_basin(std::uint32_t basin);

/// An isolated molecule at a minimum of its energy.
struct molecule_minimum {
  std::vector<vec3> beads;
  double energy;  ///< kcal/mol
};

/// The minima of M12 (or of M7 without sides) in that basin, the lowest first: one for each arrangement of
/// the side beads. Computed only once in a process. Any thread may call.
std::vector<molecule_minimum> const& minima_in(std::uint32_t basin, bool has_sides);

}  // namespace ballast::nanodroplet
