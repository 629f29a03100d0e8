// SPDX-License-Identifier: Apache-2.0
#include "torsion_basin.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "droplet.hpp"
#include "solute.hpp"

namespace ballast::nanodroplet {
namespace {

using torsion_digits = std::array<std::uint32_t, m12::torsions>;

torsion_digits wells_of(std::uint32_t basin) {
  torsion_digits wells{};
  for (auto well = wells.rbegin(); well != wells.rend(); ++well, basin /= torsion_wells)
    *well = basin % torsion_wells;
  return wells;
}

std::uint32_t basin_with(torsion_digits const& wells) {
  std::uint32_t basin = 0;
  for (auto const well : wells) basin = torsion_wells * basin + well;
  return basin;
}

std::uint32_t well_of(double torsion) {
  if (torsion >= -120 * degree && torsion < 0) return 0;
  return torsion >= 0 && torsion < 120 * degree ? 1 : 2;
}

/// Minima by the sides of their side beads.
using minima_by_sides = std::map<std::uint32_t, molecule_minimum>;

void add_minimum(minima_by_sides& lowest, std::uint32_t basin, std::vector<vec3> start) {
  constexpr std::uint32_t iterations = 2000;
  constexpr double force = 0.1;  // kcal/mol/A
  auto relaxed = minimised({{}, std::move(start)}, iterations, force);
  molecule_minimum found{std::move(relaxed.system.beads), relaxed.energy};
  if (basin_of(m12_torsions(found.beads)) != basin) return;
  auto const [known, is_new] = lowest.try_emplace(sides_of(found.beads), found);
  if (!is_new && found.energy < known->second.energy) known->second = std::move(found);
}

std::vector<molecule_minimum> found_minima(std::uint32_t basin, bool has_sides) {
  minima_by_sides lowest;
  if (!has_sides) add_minimum(lowest, basin, beads_with(middle_of(basin), {}));
  for (std::uint32_t sides = 0; has_sides && sides < 1u << m12::side_beads; ++sides)
    add_minimum(lowest, basin, beads_with(middle_of(basin), sides));
  std::vector<molecule_minimum> minima;
  for (auto& [sides, minimum] : lowest) minima.push_back(std::move(minimum));
  std::ranges::stable_sort(minima, {}, &molecule_minimum::energy);
  return minima;
}

}  // namespace

std::uint32_t basin_of(m12_torsion_angles const& torsions) {
  torsion_digits wells{};
  std::ranges::transform(torsions, wells.begin(), &well_of);
  return basin_with(wells);
}

m12_torsion_angles middle_of(std::uint32_t basin) {
  m12_torsion_angles middle{};
  std::ranges::transform(wells_of(basin), middle.begin(),
                         [](std::uint32_t well) { return (120.0 * well - 60) * degree; });
  return middle;
}

m12_torsion_angles off_middle(m12_torsion_angles const& torsions, std::uint32_t basin) {
  auto off = middle_of(basin);
  std::ranges::transform(torsions, off, off.begin(), [](double torsion, double middle) {
    return std::remainder(torsion - middle, 2 * pi);
  });
  return off;
}

std::vector<std::uint32_t> basins_beside(std::uint32_t basin) {
  std::vector<std::uint32_t> beside;
  for (std::size_t torsion = 0; torsion < m12::torsions; ++torsion) {
    for (std::uint32_t const turn : {1u, 2u}) {
      auto wells = wells_of(basin);
      wells[torsion] = (wells[torsion] + turn) % torsion_wells;
      beside.push_back(basin_with(wells));
    }
  }
  return beside;
}

std::string name_of_basin(std::uint32_t basin) {
  std::string name;
  for (auto const well : wells_of(basin)) name += "-+t"[well];
  return name;
}

std::vector<molecule_minimum> const& minima_in(std::uint32_t basin, bool has_sides) {
  struct found_once {
    std::once_flag flag;
    std::vector<molecule_minimum> minima;
  };
  static std::array<std::array<found_once, 2>, torsion_basins> known;
  auto& here = known.at(basin)[has_sides ? 1 : 0];
  std::call_once(here.flag, [&] { here.minima = found_minima(basin, has_sides); });
  return here.minima;
}

}  // namespace ballast::nanodroplet
