// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::hotspot {

template <class Real>
bool is_heated(heated_plate<Real> const& start, std::uint32_t steps, std::span<Real const> temperature) {
  auto const agree = [](Real a, Real b) { return std::isfinite(a) && a == b; };
  return std::ranges::equal(temperature, heated(start, steps), agree);
}

template <class Real>
std::string checked_cells(std::span<Real const> temperature) {
  auto const without = std::ranges::count_if(temperature, [](Real t) { return !std::isfinite(t); });
  return without == 0 ? "every cell" : "every cell (" + std::to_string(without) + " are no finite numbers)";
}

template std::string checked_cells(std::span<float const>);
template std::string checked_cells(std::span<double const>);
template bool is_heated(heated_plate<float> const&, std::uint32_t, std::span<float const>);
template bool is_heated(heated_plate<double> const&, std::uint32_t, std::span<double const>);

}  // namespace ballast::hotspot
