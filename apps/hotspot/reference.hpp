// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plate.hpp"

namespace ballast::hotspot {

/// The initial state of steps: the cells of the plate.
template <class Real>
struct heated_plate {
  plate of;
  step_factors factors;
  std::span<Real const> temperature, power;
};

/// The temperatures after this many steps, computed on the calling thread, on a plate with a margin that
/// repeats its border. The same bits as the kernel's. Real is float or double.
template <class Real>
std::vector<Real> heated(heated_plate<Real> const& start, std::uint32_t steps);

/// True if these temperatures are bit by bit those of the sequential program after this many steps. False if
/// one is not finite, as on an unstable plate, which cannot be checked.
template <class Real>
bool is_heated(heated_plate<Real> const& start, std::uint32_t steps, std::span<Real const> temperature);

/// "every cell"; if cells are not finite and so cannot be checked, with their number.
template <class Real>
std::string checked_cells(std::span<Real const> temperature);

}  // namespace ballast::hotspot
