// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "plate.hpp"

namespace ballast::hotspot {

/// What a run begins with where no files are given, exact in single precision: temperature
/// 324 + ((37 i + 101 j) mod 64) / 16 and power ((7 i + 13 j) mod 11) / 65536 in row i, column j.
double first_temperature(std::uint32_t row, std::uint32_t column);
double power_of_cell(std::uint32_t row, std::uint32_t column);

/// The spans hold the cells of the plate; Real is float or double.
template <class Real>
void fill_temperature(plate const& of, std::span<Real> temperature);
template <class Real>
void fill_power(plate const& of, std::span<Real> power);

}  // namespace ballast::hotspot
