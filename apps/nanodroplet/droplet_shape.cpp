// SPDX-License-Identifier: Apache-2.0
#include "droplet_shape.hpp"

#include <algorithm>

#include "solute.hpp"

namespace ballast::nanodroplet {

droplet_shape shape_of(droplet const& system) {
  double const waters = system.waters();
  vec3 middle{};
  for (std::size_t o = 0; o < system.water.size(); o += 3) middle += (1 / waters) * system.water[o];
  double squares = 0, most = 0;
  for (std::size_t o = 0; o < system.water.size(); o += 3) {
    vec3 const d = system.water[o] - middle;
    squares += dot(d, d);
    most = std::max(most, length(d));
  }
  droplet_shape shape{std::sqrt(squares / waters), most};
  if (!system.beads.empty()) shape.torsions = m12_torsions(system.beads);
  return shape;
}

}  // namespace ballast::nanodroplet
