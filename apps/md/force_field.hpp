// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atoms.hpp"

namespace ballast::md {

enum class boundary { open, periodic };
/// Truncated: zero beyond the cut-off, with a jump there (Chen et al. 2010); does not conserve energy.
/// Force-shifted: energy and force go to zero at the cut-off; conserves energy.
enum class potential { truncated, force_shifted };

constexpr double coulomb = 332.06371;  ///< kcal A / (mol e^2)

struct force_field {
  lennard_jones parameters = helium_parameters;
  double cutoff = 12.0;  ///< Angstrom
  potential shape = potential::truncated;
  boundary edges = boundary::open;

  bool operator==(force_field const&) const = default;
};

/// The pair formula with all pair-independent factors precomputed. For r < cutoff, with
/// s = sigma^6 / r^6 folded into the constants and qq the product of the charges:
///   E_LJ = r6 (a12 r6 - a6) + lj_shift + lj_slope r             with r6 = r^-6
///   E_C  = coulomb qq (1/r + coulomb_shift + coulomb_slope r)
///   F/r  = [r6 (12 a12 r6 - 6 a6) + coulomb qq / r] / r^2 - (lj_slope + coulomb qq coulomb_slope) / r
/// The last four constants are zero for a truncated potential: one formula serves both.
struct force_constants {
  double cutoff2, a12, a6, lj_shift, lj_slope, coulomb_shift, coulomb_slope;
};
force_constants constants_of(force_field const& field);

/// Throws bad_argument naming "epsilon" (>= 0), "sigma" (> 0), "cutoff" (> 0, finite), "boundary" (periodic
/// needs a box), or "cutoff" again if it exceeds half a side of a periodic box.
void check_force_field(force_field const& field, atoms const& all);

/// How forces are computed and atoms moved; the same for every solution.
struct physics {
  force_field field;
  bool single_precision = true;  ///< for the pair terms; sums, positions and velocities are double
  bool all_pairs = false;
  double time_step = 2.0;  ///< fs
  double skin = 1.0;       ///< A: the margin of cells beyond the cut-off

  bool operator==(physics const&) const = default;
};

/// Throws bad_argument ("dt": finite and > 0, "skin": 0 .. 1e9) and as check_force_field().
void check_physics(physics const& what, atoms const& all);

}  // namespace ballast::md
