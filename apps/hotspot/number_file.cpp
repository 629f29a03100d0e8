// SPDX-License-Identifier: Apache-2.0
#include "number_file.hpp"

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

}  // namespace ballast::hotspot
