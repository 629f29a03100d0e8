// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

/// Whether these temperatures are, bit by bit, those of the sequential program after so many steps. Never if
/// one is no finite number, as those of an unstable plate become: of these nothing can be checked.
template <class Real>
bool is_heated(heated_plate<Real> const& start, std::uint32_t steps, std::span<Real const> temperature);

/// "every cell", or how many of them are no finite numbers, of which nothing can be checked.
template <class Real>
std::string checked_cells(std::span<Real const> temperature);

}  // namespace ballast::hotspot
