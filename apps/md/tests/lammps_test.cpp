// SPDX-License-Identifier: Apache-2.0
// The reference and whole runs, compared with an independent program if it is installed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "md/gaussian_system.hpp"
#include "md/lammps_file.hpp"
#include "md/reference.hpp"
#include "md/simulation.hpp"
#include "scratch_folder.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

using test::content_of;
using test::scratch_folder;
using test::test_devices;

bool lammps_is_here() { return std::system("command -v lmp > /dev/null 2>&1") == 0; }

std::string pair_style_for(std::string const& data, force_field const& field) {
  std::ostringstream text;
  text.precision(17);
  std::ostringstream coefficients;
  coefficients.precision(17);
  coefficients << ' ' << field.parameters.epsilon << ' ' << field.parameters.sigma;
  if (field.shape == potential::truncated) {
    text << "pair_style lj/cut/coul/cut " << field.cutoff << "\nread_data " << data << "\npair_coeff * *"
         << coefficients.str() << "\n";
  } else {
    text << "pair_style hybrid/overlay lj/smooth/linear " << field.cutoff << " coul/dsf 0.0 " << field.cutoff
         << "\nread_data " << data << "\npair_coeff * * lj/smooth/linear" << coefficients.str()
         << "\npair_coeff * * coul/dsf\n";
  }
  return text.str();
}

std::string input_for(std::string const& data, force_field const& field, int steps) {
  bool const periodic = field.edges == boundary::periodic;
  return "units real\natom_style charge\nboundary " + std::string(periodic ? "p p p" : "f f f") +
         "\natom_modify map array\n" + pair_style_for(data, field) +
         "neighbor 1.0 bin\ntimestep 2.0\nfix move all nve\ncompute f all reduce sumsq fx fy fz\n"
         "thermo_style custom evdwl ecoul ke c_f[1] c_f[2] c_f[3]\nthermo_modify norm no format float %.15g\n"
         "run " +
         std::to_string(steps) +
         "\nvariable e equal evdwl\nvariable q equal ecoul\nvariable k equal ke\n"
         "variable s equal c_f[1]+c_f[2]+c_f[3]\n"
         "print \"result $(v_e:%.15g) $(v_q:%.15g) $(v_k:%.15g) $(v_s:%.15g)\" file result.txt screen no\n";
}

struct lammps_sums {
  double energy_lj = 0, energy_coulomb = 0, kinetic = 0, force_square_sum = 0;
};

lammps_sums run_lammps(atoms all, force_field const& field, int steps) {
  scratch_folder folder;
  all.parameters.reset();  // the input names them
  write_lammps_data(folder.file("system.data"), all);
  folder.file("in.txt", input_for("system.data", field, steps));
  std::string const at = folder.file("");
  if (std::system(("cd " + at + " && lmp -in in.txt -log none -screen none > out.txt 2>&1").c_str()) != 0)
    throw std::runtime_error("lmp failed: " + content_of(folder.file("out.txt")));
  std::istringstream in(content_of(folder.file("result.txt")));
  std::string word;
  lammps_sums sums;
  in >> word >> sums.energy_lj >> sums.energy_coulomb >> sums.kinetic >> sums.force_square_sum;
  return sums;
}

void expect_near(double ours, double theirs, double tolerance) {
  EXPECT_NEAR(ours, theirs, tolerance * std::abs(theirs));
}

double self_energy(atoms const& all, force_field const& field) {
  return field.shape == potential::force_shifted ? self_energy(all, field.cutoff) : 0.0;
}

void expect_agreement(atoms const& all, force_field const& field) {
  auto const theirs = run_lammps(all, field, 0);
  auto const ours = reference_forces(all, field).sum;
  expect_near(ours.energy_lj, theirs.energy_lj, 1e-9);
  expect_near(ours.energy_coulomb + self_energy(all, field), theirs.energy_coulomb, 1e-9);
  expect_near(ours.force_square_sum, theirs.force_square_sum, 1e-9);
}

constexpr char const* not_installed = "LAMMPS (the command lmp, Debian package lammps) is not installed";

TEST(md_lammps, finds_the_same_energies_and_forces) {
  if (!lammps_is_here()) GTEST_SKIP() << not_installed;
  auto const droplet = gaussian_system(1024);
  expect_agreement(droplet, {helium_parameters, 12, potential::truncated, boundary::open});
  expect_agreement(droplet, {helium_parameters, 12, potential::force_shifted, boundary::open});
  expect_agreement(s64(), {helium_parameters, 6, potential::truncated, boundary::periodic});
}

TEST(md_lammps, moves_atoms_the_same_way) {
  if (!lammps_is_here()) GTEST_SKIP() << not_installed;
  physics what;
  what.field = {helium_parameters, 10, potential::force_shifted, boundary::open};
  what.single_precision = false;
  beginning from{gaussian_system(1024), 0, std::nullopt};
  draw_velocities(from.state, 50, 3);
  auto const theirs = run_lammps(from.state, what.field, 100);

  auto const system = make_stage(test_devices(), what, from.state.size(), 1);
  auto const by = make_runner(solution::tq, test_devices(), *system, {}, false);
  simulation run(*system, *by, what, from);
  for (int step = 0; step < 100; ++step) run.step();
  by->leave();
  auto const sums = system->sums();
  expect_near(sums.energy_lj, theirs.energy_lj, 1e-7);
  expect_near(sums.energy_coulomb + self_energy(from.state, what.field), theirs.energy_coulomb, 1e-7);
  expect_near(kinetic_energy(system->state()), theirs.kinetic, 1e-7);
  expect_near(sums.force_square_sum, theirs.force_square_sum, 1e-6);
}

}  // namespace
}  // namespace ballast::md
