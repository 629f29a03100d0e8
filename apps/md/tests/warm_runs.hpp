// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "md/comparison.hpp"
#include "md/gaussian_system.hpp"

namespace ballast::md {

inline physics shifted(double cutoff, bool single = false) {
  physics what;
  what.field = {helium_parameters, cutoff, potential::force_shifted, boundary::open};
  what.single_precision = single;
  return what;
}

inline beginning warm(std::size_t count, double kelvin) {
  beginning from{gaussian_system(count), 0, std::nullopt};
  draw_velocities(from.state, kelvin, 7);
  return from;
}

inline comparison_plan plan_of(std::size_t count, std::int64_t steps) {
  comparison_plan plan;
  plan.what = shifted(10);
  plan.from = warm(count, 100);
  plan.steps = steps;
  return plan;
}

}  // namespace ballast::md
