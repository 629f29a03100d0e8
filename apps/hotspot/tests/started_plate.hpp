// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hotspot/plate.hpp"
#include "hotspot/reference.hpp"

namespace ballast::hotspot {

/// The initial state of a plate without files.
template <class Real>
struct started_plate {
  explicit started_plate(plate const& cells) : of(cells), temperature(of.cells()), power(of.cells()) {
    fill_temperature<Real>(of, temperature);
    fill_power<Real>(of, power);
  }
  heated_plate<Real> view() const { return {of, factors_of(of), temperature, power}; }

  plate of;
  std::vector<Real> temperature, power;
};

}  // namespace ballast::hotspot
