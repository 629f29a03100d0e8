// SPDX-License-Identifier: Apache-2.0
// Energies compared with LAMMPS, forces with differences of the energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nanodroplet/reference_forces.hpp"
#include "nanodroplet/solute.hpp"

namespace ballast::nanodroplet {
namespace {

droplet droplet_of(std::uint32_t waters, bool has_solute = true, std::uint32_t conformer = 0) {
  return make_droplet({waters, has_solute, conformer});
}

void expect_near_relative(double found, double known) {
  EXPECT_NEAR(found, known, 1e-9 * std::max(1.0, std::abs(known)));
}

void expect_energies(droplet const& system, energy_terms const& known, double total) {
  auto const found = energy_of(system);
  expect_near_relative(found.bond, known.bond);
  expect_near_relative(found.angle, known.angle);
  expect_near_relative(found.dihedral, known.dihedral);
  expect_near_relative(found.vdw, known.vdw);
  expect_near_relative(found.coulomb, known.coulomb);
  expect_near_relative(found.total(), total);
}

TEST(nanodroplet_energy, of_8_waters_is_that_of_lammps) {
  expect_energies(droplet_of(8, false), {0.186091695635, 0.0818799011997, 0, -0.480313342625, 0.13486763442},
                  -0.0774741113709);
}

TEST(nanodroplet_energy, of_8_waters_around_m12_is_that_of_lammps) {
  expect_energies(droplet_of(8), {76.9331119222, 34.2500387206, 1.53840085427, 54.5284650235, 7.24477279227},
                  174.494789313);
}

TEST(nanodroplet_energy, of_356_waters_around_m12_is_that_of_lammps) {
  expect_energies(droplet_of(356),
                  {84.0850524194, 38.0779179201, 1.53840085427, -59.440345876, -145.045836075},
                  -80.7848107572);
}

TEST(nanodroplet_forces, on_the_first_of_24_atoms_are_those_of_lammps) {
  std::vector<vec3> forces(24);
  forces_of(droplet_of(8, false), forces);
  EXPECT_NEAR(forces[0].x, -2.0345026872, 1e-9);
  EXPECT_NEAR(forces[0].y, -19.4042203329, 1e-9);
  EXPECT_NEAR(forces[0].z, 8.2893210125, 1e-9);
}

double& coordinate(droplet& of, std::size_t atom, int axis) {
  auto& at = atom < of.water.size() ? of.water[atom] : of.beads[atom - of.water.size()];
  return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

/// Minus the slope of the energy, by fourth-order differences.
double slope(droplet system, std::size_t atom, int axis) {
  auto& x = coordinate(system, atom, axis);
  double const from = x, step = 1e-3;
  auto const energy = [&](double steps) {
    x = from + steps * step;
    return energy_of(system).total();
  };
  return -(8 * (energy(1) - energy(-1)) - (energy(2) - energy(-2))) / (12 * step);
}

TEST(nanodroplet_forces, are_minus_the_slope_of_the_energy_on_every_atom_of_a_twisted_droplet) {
  auto const system = droplet_of(4, true, 2);
  std::vector<vec3> forces(system.atoms());
  forces_of(system, forces);
  for (std::size_t atom = 0; atom < system.atoms(); ++atom) {
    SCOPED_TRACE(atom);
    double const tolerance = 1e-5 + 1e-8 * length(forces[atom]);
    EXPECT_NEAR(forces[atom].x, slope(system, atom, 0), tolerance);
    EXPECT_NEAR(forces[atom].y, slope(system, atom, 1), tolerance);
    EXPECT_NEAR(forces[atom].z, slope(system, atom, 2), tolerance);
  }
}

TEST(nanodroplet_forces, neither_push_nor_turn_the_droplet) {
  auto const system = droplet_of(27);
  std::vector<vec3> forces(system.atoms());
  forces_of(system, forces);
  vec3 push{}, turn{};
  for (std::size_t i = 0; i < forces.size(); ++i) {
    auto const& at = i < system.water.size() ? system.water[i] : system.beads[i - system.water.size()];
    push += forces[i];
    turn += cross(at, forces[i]);
  }
  EXPECT_LT(length(push), 1e-9);
  EXPECT_LT(length(turn), 1e-9);
}

TEST(nanodroplet_system, counts_interactions_as_the_papers_equation_2) {
  EXPECT_EQ(interactions(356, 12), 1'152'372u);
  EXPECT_EQ(interactions(1, 0), 6u);
}

TEST(nanodroplet_system, turns_the_torsions_of_m12_by_40_80_120_and_160_degrees_from_conformer_to_conformer) {
  auto const before = m12_torsions(m12_beads(1)), after = m12_torsions(m12_beads(2));
  for (std::size_t t = 0; t < before.size(); ++t) {
    double const turned = (after[t] - before[t]) / degree - 40.0 * static_cast<double>(t + 1);
    EXPECT_NEAR(std::remainder(turned, 360), 0, 1e-9);
  }
}

TEST(nanodroplet_system, keeps_the_bonds_and_angles_of_m12_in_every_conformer) {
  std::vector<vec3> unused(m12::beads, vec3{});
  auto const straight = add_solute_forces(m12_beads(0), unused);
  for (std::uint32_t conformer = 1; conformer < 9; ++conformer) {
    auto const turned = add_solute_forces(m12_beads(conformer), unused);
    EXPECT_NEAR(turned.bond, straight.bond, 1e-9);
    EXPECT_NEAR(turned.angle, straight.angle, 1e-9);
    EXPECT_GT(std::abs(turned.vdw - straight.vdw), 1e-3);
  }
}

}  // namespace
}  // namespace ballast::nanodroplet
