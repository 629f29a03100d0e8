// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "force_field.hpp"

namespace ballast::md {

/// How forces are computed and atoms moved; the same for every solution.
struct physics {
  force_field field;
  bool single_precision = true;  ///< of the pair terms; sums, positions and velocities are double
  bool all_pairs = false;
  double time_step = 2.0;  ///< fs
  double skin = 1.0;       ///< A: how much larger than the cut-off cells are

  bool operator==(physics const&) const = default;
};

/// Throws bad_argument ("dt": finite and > 0, "skin": 0 .. 1e9) and as check_force_field().
void check_physics(physics const& what, atoms const& all);

}  // namespace ballast::md
