// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::nanodroplet {

/// Of hybrid Monte Carlo (Duane et al. 1987).
struct sampling_settings {
  double time_step = 0.5;                   ///< fs, above 0
  double temperature = 300;                 ///< K, above 0
  std::uint32_t steps_per_trajectory = 20;  ///< 1 or more
  std::uint32_t trajectories = 50;          ///< 1 or more
};

}  // namespace ballast::nanodroplet
