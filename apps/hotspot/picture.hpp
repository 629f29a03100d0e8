// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "plate.hpp"

namespace ballast::hotspot {

/// What the coldest and the hottest colour of a picture stand for, the same in all pictures, so that they can
/// be compared. Beyond them the colour stays.
inline constexpr double coldest_colour = 300, hottest_colour = 345;

using colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// From black through red and yellow to white; what is no number is blue.
colour colour_of(double temperature);

/// A binary PPM (P6), a pixel for each cell. Replaces a file that is there, whole or not at all. Throws
/// ballast::error if it cannot be written.
template <class Real>
void write_picture(std::string const& path, plate const& of, std::span<Real const> temperature);

}  // namespace ballast::hotspot
