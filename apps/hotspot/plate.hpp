// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ballast::hotspot {

/// Cells of a chip, stored row by row.
struct plate {
  std::uint32_t rows = 0, columns = 0;

  constexpr std::size_t cells() const { return std::size_t(rows) * columns; }
  constexpr bool operator==(plate const&) const = default;
};

/// The size of the chip. `rodinia`: always 0.016 m, as in Rodinia's hotspot; with more than 1385 cells to a
/// side its time step is unstable. `scaled`: the same up to 1024 cells in the longer side; beyond that the
/// chip grows with the number of cells, so that a cell keeps its size.
enum class chip_size : std::uint8_t { scaled, rodinia };

/// The size of that name. Throws bad_argument ("chip"), which lists the names.
chip_size chip_size_named(std::string_view name);
/// The edge of the chip in m.
double edge_of_chip(plate const& of, chip_size size);

/// The factors of a time step, from Rodinia's constants, computed in double precision: T' = T +
/// step_by_capacity (P + (above + below - 2 T) by_ry + (left + right - 2 T) by_rx + (80 - T) by_rz).
struct step_factors {
  double step_by_capacity, by_ry, by_rx, by_rz;
};

/// The factors for a plate, which must have cells.
step_factors factors_of(plate const& of, chip_size size = chip_size::scaled);

/// True if small differences die away: the four lateral fractions and the upward one sum to at most 1 (von
/// Neumann's condition is step_by_capacity by_r <= 0.25 on a square grid).
bool is_stable(step_factors const& factors);

inline constexpr double ambient_temperature = 80;

/// The initial values without files, exact in single precision: temperature 324 + ((37 i + 101 j) mod 64) /
/// 16 and power ((7 i + 13 j) mod 11) / 65536 in row i, column j.
double first_temperature(std::uint32_t row, std::uint32_t column);
double power_of_cell(std::uint32_t row, std::uint32_t column);

/// Write the initial values. The spans hold the cells of the plate; Real is float or double.
template <class Real>
void fill_temperature(plate const& of, std::span<Real> temperature);
template <class Real>
void fill_power(plate const& of, std::span<Real> power);

}  // namespace ballast::hotspot
