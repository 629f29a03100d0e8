// SPDX-License-Identifier: Apache-2.0
#include "reference_forces.hpp"

#include <algorithm>

#include "bonded_terms.cuh"
#include "energy_terms.hpp"
#include "solute.hpp"

namespace ballast::nanodroplet {
namespace {

double charge_of_water_atom(std::size_t atom) { return atom % 3 == 0 ? tip3p::charge_o : tip3p::charge_h; }

void add_within(std::span<vec3 const, 3> at, std::span<vec3, 3> on, energy_terms& sum) {
  sum.bond += add_bond(tip3p::bond, at[1], at[0], on[1], on[0]);
  sum.bond += add_bond(tip3p::bond, at[2], at[0], on[2], on[0]);
  sum.angle += add_angle(tip3p::angle, at[1], at[0], at[2], on[1], on[0], on[2]);
}

void add_between(std::span<vec3 const> water, std::size_t m, std::size_t n, std::span<vec3> forces,
                 energy_terms& sum) {
  for (std::size_t a = 3 * m; a < 3 * m + 3; ++a) {
    for (std::size_t b = 3 * n; b < 3 * n + 3; ++b) {
      pair_of const pair(water[a] - water[b]);
      sum.coulomb +=
          pair.add_coulomb(charge_of_water_atom(a) * charge_of_water_atom(b), forces[a], forces[b]);
      if (a == 3 * m && b == 3 * n) sum.vdw += pair.add_lennard_jones(lj_o_o, forces[a], forces[b]);
    }
  }
}

}  // namespace

energy_terms add_water_forces(std::span<vec3 const> water, std::span<vec3> forces) {
  energy_terms sum;
  for (std::size_t m = 0; m < water.size() / 3; ++m) {
    add_within(water.subspan(3 * m).first<3>(), forces.subspan(3 * m).first<3>(), sum);
    for (std::size_t n = 0; n < m; ++n) add_between(water, m, n, forces, sum);
  }
  return sum;
}

energy_terms add_mixed_forces(std::span<vec3 const> water, std::span<vec3 const> beads,
                              std::span<vec3> on_water, std::span<vec3> on_beads) {
  energy_terms sum;
  for (std::size_t a = 0; a < water.size(); ++a) {
    for (std::uint32_t b = 0; b < beads.size(); ++b) {
      pair_of const pair(water[a] - beads[b]);
      sum.coulomb += pair.add_coulomb(charge_of_water_atom(a) * m12::charge(b), on_water[a], on_beads[b]);
      if (a % 3 == 0) sum.vdw += pair.add_lennard_jones(lj_o_bead, on_water[a], on_beads[b]);
    }
  }
  return sum;
}

energy_terms forces_of(droplet const& system, std::span<vec3> forces) {
  std::ranges::fill(forces, vec3{});
  auto const on_water = forces.first(system.water.size());
  auto const on_beads = forces.subspan(system.water.size(), system.beads.size());
  auto sum = add_water_forces(system.water, on_water);
  sum += add_mixed_forces(system.water, system.beads, on_water, on_beads);
  sum += add_solute_forces(system.beads, on_beads);
  return sum;
}

energy_terms energy_of(droplet const& system) {
  std::vector<vec3> forces(system.atoms());
  return forces_of(system, forces);
}

}  // namespace ballast::nanodroplet
