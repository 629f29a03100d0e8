// SPDX-License-Identifier: Apache-2.0
#include "physics.hpp"

#include <cmath>

#include "ballast/error.hpp"

namespace ballast::md {

void check_physics(physics const& what, atoms const& all) {
  check_force_field(what.field, all);
  if (!(what.time_step > 0) || !std::isfinite(what.time_step)) {
    throw_bad_argument("dt", what.time_step, "more than 0 fs");
  }
  if (!(what.skin >= 0) || what.skin > max_coordinate) {
    throw_bad_argument("skin", what.skin, "0 to 1e9 Angstrom");
  }
}

}  // namespace ballast::md
