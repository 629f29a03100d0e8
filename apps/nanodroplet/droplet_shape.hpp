// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "droplet.hpp"
#include "force_field.cuh"

namespace ballast::nanodroplet {

/// What is told of a droplet as it goes.
struct droplet_shape {
  double gyration_radius = 0;  ///< of the oxygens about their middle, root of the mean square, A
  double greatest_radius = 0;  ///< of the farthest oxygen: a water that left shows here, A
  std::array<double, m12::torsions> torsions{};  ///< radian; 0 without a solute

  bool operator==(droplet_shape const&) const = default;
};

droplet_shape shape_of(droplet const& system);

}  // namespace ballast::nanodroplet
