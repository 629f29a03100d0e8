// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "plate.hpp"

namespace ballast::hotspot {

/// A few numbers of a plate's temperatures, in double precision: T[0][0], T[rows / 2][columns / 2] and
/// T[rows - 1][columns - 1].
struct summary {
  double sum, first, middle, last;
};

/// `temperature` holds the cells of the plate, at least one. Real is float or double.
template <class Real>
summary summary_of(plate const& of, std::span<Real const> temperature);

}  // namespace ballast::hotspot
