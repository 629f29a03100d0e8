// SPDX-License-Identifier: Apache-2.0
// The reference against an independent program, where that is installed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "md/gaussian_system.hpp"
#include "md/lammps_file.hpp"
#include "md/reference.hpp"
#include "scratch_folder.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

bool lammps_is_here() { return std::system("command -v lmp > /dev/null 2>&1") == 0; }

std::string input_for(std::string const& data, force_field const& field) {
  std::ostringstream text;
  text.precision(17);
  auto const& p = field.parameters;
  text << "units real\natom_style charge\nboundary "
       << (field.edges == boundary::periodic ? "p p p" : "f f f") << "\natom_modify map array\n";
  std::ostringstream coefficients;
  coefficients.precision(17);
  coefficients << ' ' << p.epsilon << ' ' << p.sigma;
  if (field.shape == potential::truncated) {
    text << "pair_style lj/cut/coul/cut " << field.cutoff << "\nread_data " << data << "\npair_coeff * *"
         << coefficients.str();
  } else {
    text << "pair_style hybrid/overlay lj/smooth/linear " << field.cutoff << " coul/dsf 0.0 " << field.cutoff
         << "\nread_data " << data << "\npair_coeff * * lj/smooth/linear" << coefficients.str()
         << "\npair_coeff * * coul/dsf";
  }
  text << "\nneighbor 0.0 bin\ncompute f all reduce sumsq fx fy fz\n"
          "thermo_style custom evdwl ecoul c_f[1] c_f[2] c_f[3]\nthermo_modify norm no format float %.15g\n"
          "run 0\nvariable e equal evdwl\nvariable q equal ecoul\n"
          "variable s equal c_f[1]+c_f[2]+c_f[3]\n"
          "print \"result $(v_e:%.15g) $(v_q:%.15g) $(v_s:%.15g)\" file result.txt screen no\n";
  return text.str();
}

struct lammps_sums {
  double energy_lj = 0, energy_coulomb = 0, force_square_sum = 0;
};

lammps_sums ask_lammps(atoms all, force_field const& field) {
  scratch_folder folder;
  all.parameters.reset();  // the input names them
  write_lammps_data(folder.file("system.data"), all);
  folder.file("in.txt", input_for("system.data", field));
  std::string const at = folder.file("");
  if (std::system(("cd " + at + " && lmp -in in.txt -log none -screen none > out.txt 2>&1").c_str()) != 0) {
    throw std::runtime_error("lmp failed: " + content_of(folder.file("out.txt")));
  }
  std::istringstream in(content_of(folder.file("result.txt")));
  std::string word;
  lammps_sums sums;
  in >> word >> sums.energy_lj >> sums.energy_coulomb >> sums.force_square_sum;
  return sums;
}

void expect_agreement(atoms const& all, force_field const& field) {
  auto const theirs = ask_lammps(all, field);
  auto const ours = reference_forces(all, field).sum;
  EXPECT_NEAR(ours.energy_lj, theirs.energy_lj, 1e-9 * std::abs(theirs.energy_lj));
  EXPECT_NEAR(ours.force_square_sum, theirs.force_square_sum, 1e-9 * theirs.force_square_sum);
  double self = 0;  // coul/dsf adds a constant of the charges alone
  for (double const q : all.charge) self -= coulomb * q * q / field.cutoff;
  double const expected = ours.energy_coulomb + (field.shape == potential::force_shifted ? self : 0.0);
  EXPECT_NEAR(expected, theirs.energy_coulomb, 1e-9 * std::abs(theirs.energy_coulomb));
}

TEST(md_lammps, finds_the_same_energies_and_forces) {
  if (!lammps_is_here()) GTEST_SKIP() << "LAMMPS (the command lmp, Debian package lammps) is not installed";
  auto droplet = gaussian_system(1024);
  expect_agreement(droplet, {helium_parameters, 12, potential::truncated, boundary::open});
  expect_agreement(droplet, {helium_parameters, 12, potential::force_shifted, boundary::open});
  expect_agreement(s64(), {helium_parameters, 6, potential::truncated, boundary::periodic});
}

}  // namespace
}  // namespace ballast::md
