// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ballast/error.hpp"
#include "report/table.hpp"

namespace ballast {
namespace {

/// Digits after the point that leave `digits` significant ones, after rounding (999.96 has four before it).
int decimals(double number, int digits) {
  double const rounded = std::stod(fmt::format("{:.{}e}", number, digits - 1));
  int const before = static_cast<int>(std::floor(std::log10(std::fabs(rounded)))) + 1;
  return std::max(0, digits - before);
}

}  // namespace

std::string rounded(double number, int digits) {
  if (digits < 1 || digits > 17) throw_bad_argument("digits", static_cast<long long>(digits), "1 to 17");
  double const size = std::fabs(number);
  if (number == 0) return "0";
  if (!(size >= 1e-4 && size < 1e15)) return fmt::format("{:.{}g}", number, digits);
  return fmt::format("{:.{}f}", number, decimals(number, digits));
}

std::string byte_size(std::size_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) size /= 1024, ++unit;
  return fmt::format("{:.4g} {}", size, units[unit]);
}

}  // namespace ballast
