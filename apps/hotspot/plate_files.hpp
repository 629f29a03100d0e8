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

/// Rodinia's input files: `count` finite numbers, one a line, row by row; or its output file, as
/// write_numbers() has it. Throws command_line::bad_file if it cannot be read, a line is no such number, has
/// another index than its place, or there are fewer or more.
std::vector<double> read_numbers(std::string const& path, std::size_t count);

/// Rodinia's output file: "index\tvalue" a line, with the 6 digits that it writes (%g). Replaces a file that
/// is there, whole or not at all. Throws ballast::error if it cannot be written.
template <class Real>
void write_numbers(std::string const& path, std::span<Real const> numbers);

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
