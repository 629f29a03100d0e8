// SPDX-License-Identifier: Apache-2.0
#include "plate_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>
#include <string_view>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"

namespace ballast::hotspot {
namespace {

std::string_view without_blanks(std::string_view line) {
  constexpr auto blanks = " \t\r";
  auto const first = line.find_first_not_of(blanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void throw_bad_line(std::string const& path, std::size_t line, std::string_view text) {
  throw error(path + ", line " + std::to_string(line) + ": \"" + std::string(text.substr(0, 40)) +
              "\" should be one finite number.");
}

double number_in(std::string const& path, std::size_t line, std::string_view text) {
  double value = 0;
  auto const end = text.data() + text.size();
  auto const [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || !std::isfinite(value)) throw_bad_line(path, line, text);
  return value;
}

[[noreturn]] void throw_wrong_length(std::string const& path, std::string const& found, std::size_t count) {
  throw error(path + " holds " + found + " numbers, and the plate has " + std::to_string(count) + " cells.");
}

/// How bright a third of the scale is, which begins at `begin`.
std::uint8_t brightness(double heat, double begin) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(3 * heat - begin, 0.0, 1.0)));
}

}  // namespace

std::vector<double> read_numbers(std::string const& path, std::size_t count) {
  std::ifstream file(path);
  if (!file) throw error(path + " cannot be opened.");
  std::vector<double> numbers;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    auto const text = without_blanks(line);
    ++number;
    if (text.empty()) continue;
    if (numbers.size() == count) throw_wrong_length(path, "more than " + std::to_string(count), count);
    numbers.push_back(number_in(path, number, text));
  }
  if (file.bad() || number == 0) throw error(path + " cannot be read, or is empty.");
  if (numbers.size() < count) throw_wrong_length(path, std::to_string(numbers.size()), count);
  return numbers;
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
