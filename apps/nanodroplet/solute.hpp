// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "energy_terms.hpp"
#include "force_field.cuh"
#include "vec3.cuh"

namespace ballast::nanodroplet {

/// The 12 beads of M12 in A, torsion t (0 .. 3) turned by conformer (t + 1) 40 degrees.
std::vector<vec3> m12_beads(std::uint32_t conformer);

/// The torsions of M12 in radian, -pi .. pi.
std::array<double, m12::torsions> m12_torsions(std::span<vec3 const> beads);

/// Adds the forces of M12's beads on each other, bonded and not, to `forces`; returns their energy. Nothing
/// for no beads.
energy_terms add_solute_forces(std::span<vec3 const> beads, std::span<vec3> forces);

}  // namespace ballast::nanodroplet
