// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plate.hpp"

namespace ballast::hotspot {

/// What steps begin with: the cells of the plate.
template <class Real>
struct heated_plate {
  plate of;
  step_factors factors;
  std::span<Real const> temperature, power;
};

/// The temperatures after so many steps, on the calling thread, on a plate with a margin that repeats its
/// border. The same bits as the kernel's. Real is float or double.
template <class Real>
std::vector<Real> heated(heated_plate<Real> const& start, std::uint32_t steps);

}  // namespace ballast::hotspot
