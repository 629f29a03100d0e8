// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "droplet.hpp"
#include "energy_terms.hpp"

namespace ballast::nanodroplet {

// The kernels' results, computed on the calling thread pair by pair. Each function adds forces and returns
// energies.

/// Forces between and within the waters; `water` and `forces` have three entries for each.
energy_terms add_water_forces(std::span<vec3 const> water, std::span<vec3> forces);

/// Forces between the waters and the beads.
energy_terms add_mixed_forces(std::span<vec3 const> water, std::span<vec3 const> beads,
                              std::span<vec3> on_water, std::span<vec3> on_beads);

/// All forces of a droplet. `forces`: the waters' first, then the beads'; overwrites its content.
energy_terms forces_of(droplet const& system, std::span<vec3> forces);
energy_terms energy_of(droplet const& system);

}  // namespace ballast::nanodroplet
