// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "atoms.hpp"

namespace ballast::md {

/// G(N): a droplet of `count` helium atoms with a Gaussian density profile, the kind of system that Chen et
/// al. 2010 measured. The sites form a jittered lattice (2.8 +- 0.2 Angstrom), so no two atoms are nearer
/// than 2.4 Angstrom. Each site has a random key, weighted by the density. The `count` sites with the lowest
/// keys hold atoms, so the count is exact, and the system the same on every machine. Charges alternate +-0.02
/// over lattice sites, velocities are 0. Atoms are numbered from 1 in the lattice's order. count: 1 .. 2^30,
/// else bad_argument. Uses every core; about 200 bytes of memory per atom.
atoms gaussian_system(std::size_t count);

/// Draws velocities from Maxwell's distribution by each atom's id and `seed`, removes the common drift and
/// scales to exactly `kelvin`. `kelvin` is at least 0 and at most the temperature at which the lightest
/// atom's thermal speed is that of light, else bad_argument. 0 Kelvin sets all velocities to 0.
void draw_velocities(atoms& all, double kelvin, std::uint64_t seed);

}  // namespace ballast::md
