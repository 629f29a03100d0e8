// SPDX-License-Identifier: Apache-2.0
#include "plate_files.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

#include "ballast/replace_file.hpp"
#include "command_line/text_file.hpp"

namespace ballast::hotspot {
namespace {

/// The brightness within a third of the scale that starts at `begin`.
std::uint8_t brightness(double heat, double begin) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(3 * heat - begin, 0.0, 1.0)));
}

/// The value of cell `cell`, alone on its line or after the cell's index, as write_numbers() writes it.
double value_in(command_line::text_lines const& lines, std::vector<std::string_view> const& words,
                std::size_t cell) {
  std::string_view const all(words.front().begin(), words.back().end());
  if (words.size() != 2) return lines.finite(all, "the value of a cell");
  auto const index = lines.integer(words[0], "the index of a cell");
  if (index != std::int64_t(cell)) lines.fail("the index of a cell should be {} but is {}.", cell, index);
  return lines.finite(words[1], "the value of a cell");
}

}  // namespace

std::vector<double> read_numbers(std::string const& path, std::size_t count) {
  command_line::text_lines lines(path);
  std::vector<double> numbers;
  while (auto const line = lines.next()) {
    auto const words = command_line::words_of(*line);
    if (words.empty()) continue;
    if (numbers.size() == count) lines.fail("more follows than {} numbers, one for each cell.", count);
    numbers.push_back(value_in(lines, words, numbers.size()));
  }
  if (numbers.size() == count) return numbers;
  lines.fail("the file ends after {} of {} numbers, one for each cell.", numbers.size(), count);
}

template <class Real>
void write_numbers(std::string const& path, std::span<Real const> numbers) {
  replace_file(path, [&](std::ostream& out) {
    for (std::size_t i = 0; i < numbers.size(); ++i) out << i << '\t' << numbers[i] << '\n';
  });
}

template void write_numbers(std::string const&, std::span<float const>);
template void write_numbers(std::string const&, std::span<double const>);

colour colour_of(double temperature) {
  if (std::isnan(temperature)) return {0, 0, 255};
  double const heat =
      std::clamp((temperature - coldest_colour) / (hottest_colour - coldest_colour), 0.0, 1.0);
  return {brightness(heat, 0), brightness(heat, 1), brightness(heat, 2)};
}

template <class Real>
void write_picture(std::string const& path, plate const& of, std::span<Real const> temperature) {
  replace_file(path, [&](std::ostream& out) {
    out << "P6\n" << of.columns << ' ' << of.rows << "\n255\n";
    for (Real const t : temperature)
      for (std::uint8_t const part : colour_of(double(t))) out.put(static_cast<char>(part));
  });
}

template void write_picture(std::string const&, plate const&, std::span<float const>);
template void write_picture(std::string const&, plate const&, std::span<double const>);

}  // namespace ballast::hotspot
