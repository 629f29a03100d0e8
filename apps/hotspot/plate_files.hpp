// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plate.hpp"

namespace ballast::hotspot {

/// Reads Rodinia's input files (`count` finite numbers, one per line, row by row) or its output file, as
/// write_numbers() writes it. Throws command_line::bad_file if it cannot be read, a line is no such number or
/// has the wrong index, or the number of lines is not `count`.
std::vector<double> read_numbers(std::string const& path, std::size_t count);

/// Writes Rodinia's output file: "index\tvalue" lines, with 6 digits as there (%g). Replaces an existing
/// file, whole or not at all. Throws ballast::error if it cannot be written.
template <class Real>
void write_numbers(std::string const& path, std::span<Real const> numbers);

/// The temperatures of the coldest and the hottest colour, the same in all pictures, so that they can be
/// compared. Beyond them the colour stays.
inline constexpr double coldest_colour = 300, hottest_colour = 345;

using colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// From black through red and yellow to white; blue for NaN.
colour colour_of(double temperature);

/// Writes a binary PPM (P6), a pixel for each cell. Replaces an existing file, whole or not at all. Throws
/// ballast::error if it cannot be written.
template <class Real>
void write_picture(std::string const& path, plate const& of, std::span<Real const> temperature);

}  // namespace ballast::hotspot
