// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

#include <cmath>

#include "atoms.hpp"

namespace ballast::md {
namespace {

struct element {
  std::string_view symbol;
  double mass;
};

/// Abridged standard atomic weights (IUPAC 2021).
constexpr element elements[] = {
    {"H", 1.008},   {"He", helium_mass}, {"Li", 6.94},   {"Be", 9.0122}, {"B", 10.81},   {"C", 12.011},
    {"N", 14.007},  {"O", 15.999},       {"F", 18.998},  {"Ne", 20.180}, {"Na", 22.990}, {"Mg", 24.305},
    {"Al", 26.982}, {"Si", 28.085},      {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},  {"Ar", 39.95},
    {"K", 39.098},  {"Ca", 40.078},      {"Fe", 55.845}, {"Ni", 58.693}, {"Cu", 63.546}, {"Kr", 83.798},
    {"Ag", 107.87}, {"I", 126.90},       {"Xe", 131.29}, {"Pt", 195.08}, {"Au", 196.97},
};

}  // namespace

std::optional<double> mass_of_element(std::string_view symbol) {
  for (auto const& e : elements) {
    if (e.symbol == symbol) return e.mass;
  }
  return std::nullopt;
}

std::string element_of_mass(double mass) {
  for (auto const& e : elements) {
    if (std::abs(e.mass - mass) <= 0.01) return std::string(e.symbol);
  }
  return "X";
}

}  // namespace ballast::md
