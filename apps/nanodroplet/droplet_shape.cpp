// SPDX-License-Identifier: Apache-2.0
#include "droplet_shape.hpp"

#include <algorithm>

#include "solute.hpp"

namespace ballast::nanodroplet {

namespace {

void add_radii(droplet const& system, droplet_shape& shape) {
  double const waters = system.waters();
  vec3 middle{};
  for (std::size_t o = 0; o < system.water.size(); o += 3) middle += (1 / waters) * system.water[o];
  double squares = 0;
  for (std::size_t o = 0; o < system.water.size(); o += 3) {
    vec3 const d = system.water[o] - middle;
    squares += dot(d, d);
    shape.greatest_radius = std::max(shape.greatest_radius, length(d));
  }
  shape.gyration_radius = std::sqrt(squares / waters);
}

}  // namespace

droplet_shape shape_of(droplet const& system) {
  droplet_shape shape;
  if (!system.water.empty()) add_radii(system, shape);
  if (!system.beads.empty()) shape.torsions = m12_torsions(system.beads);
  return shape;
}

}  // namespace ballast::nanodroplet
