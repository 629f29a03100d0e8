// SPDX-License-Identifier: Apache-2.0
#include "plate.hpp"

#include <algorithm>

#include "ballast/arguments.hpp"

namespace ballast::hotspot {
namespace {

// Rodinia 3, cuda/hotspot/hotspot.cu, in its units.
constexpr double chip_edge = 0.016, chip_thickness = 0.0005, specific_heat = 1.75e6, conductivity = 100;
constexpr double capacitance_factor = 0.5, max_power_density = 3e6, step_precision = 0.001;
constexpr std::uint32_t max_side = 1024;  ///< of the input files that come with Rodinia

template <class Real, class Value>
void fill(plate const& of, std::span<Real> cells, Value const& value) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = static_cast<Real>(
        value(static_cast<std::uint32_t>(i / of.columns), static_cast<std::uint32_t>(i % of.columns)));
}

}  // namespace

chip_size chip_size_named(std::string_view name) {
  constexpr std::string_view names[] = {"scaled", "rodinia"};
  return static_cast<chip_size>(index_among(names, "chip", name));
}

double edge_of_chip(plate const& of, chip_size size) {
  auto const side = std::max(of.rows, of.columns);
  if (size == chip_size::rodinia || side <= max_side) return chip_edge;
  return chip_edge * side / max_side;
}

step_factors factors_of(plate const& of, chip_size size) {
  double const edge = edge_of_chip(of, size), height = edge / of.rows, width = edge / of.columns;
  double const capacity = capacitance_factor * specific_heat * chip_thickness * width * height;
  double const rx = width / (2 * conductivity * chip_thickness * height);
  double const ry = height / (2 * conductivity * chip_thickness * width);
  double const rz = chip_thickness / (conductivity * height * width);
  double const steepest = max_power_density / (capacitance_factor * chip_thickness * specific_heat);
  return {step_precision / steepest / capacity, 1 / ry, 1 / rx, 1 / rz};
}

bool is_stable(step_factors const& factors) {
  return factors.step_by_capacity * (2 * factors.by_ry + 2 * factors.by_rx + factors.by_rz) <= 1;
}

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
