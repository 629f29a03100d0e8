// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ballast::hotspot {

/// Rodinia's input files: `count` finite numbers, one a line, row by row. Throws ballast::error, one sentence
/// with the file and the line, if it cannot be read, a line is no such number, or there are fewer or more.
std::vector<double> read_numbers(std::string const& path, std::size_t count);

/// Rodinia's output file: "index\tvalue" a line, with the 6 digits that it writes (%g). Replaces a file that
/// is there, whole or not at all. Throws ballast::error if it cannot be written.
template <class Real>
void write_numbers(std::string const& path, std::span<Real const> numbers);

}  // namespace ballast::hotspot
