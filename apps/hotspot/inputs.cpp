// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

namespace ballast::hotspot {
namespace {

template <class Real, class Value>
void fill(plate const& of, std::span<Real> cells, Value const& value) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = static_cast<Real>(
        value(static_cast<std::uint32_t>(i / of.columns), static_cast<std::uint32_t>(i % of.columns)));
}

}  // namespace

double first_temperature(std::uint32_t row, std::uint32_t column) {
  return 324 + static_cast<double>((std::uint64_t{37} * row + std::uint64_t{101} * column) % 64) / 16;
}

double power_of_cell(std::uint32_t row, std::uint32_t column) {
  return static_cast<double>((std::uint64_t{7} * row + std::uint64_t{13} * column) % 11) / 65536;
}

template <class Real>
void fill_temperature(plate const& of, std::span<Real> temperature) {
  fill(of, temperature, first_temperature);
}

template <class Real>
void fill_power(plate const& of, std::span<Real> power) {
  fill(of, power, power_of_cell);
}

template void fill_temperature(plate const&, std::span<float>);
template void fill_temperature(plate const&, std::span<double>);
template void fill_power(plate const&, std::span<float>);
template void fill_power(plate const&, std::span<double>);

}  // namespace ballast::hotspot
