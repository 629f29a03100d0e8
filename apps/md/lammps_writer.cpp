// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>

#include "lammps_file.hpp"
#include "text_file.hpp"

namespace ballast::md {
namespace {

std::vector<double> masses_by_type(atoms const& all) {
  std::vector<double> mass(std::max<std::size_t>(all.type_name.size(), 1), 1.0);
  for (std::size_t i = 0; i < all.size(); ++i) mass[all.type[i]] = all.mass[i];
  return mass;
}

void write_head(std::ofstream& out, atoms const& all, std::vector<double> const& mass) {
  out << "written by ballast\n\n" << all.size() << " atoms\n" << mass.size() << " atom types\n\n";
  out << all.box.low.x << ' ' << all.box.high.x << " xlo xhi\n";
  out << all.box.low.y << ' ' << all.box.high.y << " ylo yhi\n";
  out << all.box.low.z << ' ' << all.box.high.z << " zlo zhi\n\nMasses\n\n";
  for (std::size_t t = 0; t < mass.size(); ++t) out << t + 1 << ' ' << mass[t] << '\n';
  if (!all.parameters) return;
  out << "\nPair Coeffs\n\n";
  for (std::size_t t = 0; t < mass.size(); ++t) {
    out << t + 1 << ' ' << all.parameters->epsilon << ' ' << all.parameters->sigma << '\n';
  }
}

}  // namespace

void write_lammps_data(std::string const& path, atoms const& all) {
  std::ofstream out(path);
  out.precision(17);
  write_head(out, all, masses_by_type(all));
  out << "\nAtoms # charge\n\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& p = all.position[i];
    out << all.id[i] << ' ' << all.type[i] + 1 << ' ' << all.charge[i] << ' ' << p.x << ' ' << p.y << ' '
        << p.z << '\n';
  }
  out << "\nVelocities\n\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& v = all.velocity[i];
    out << all.id[i] << ' ' << v.x << ' ' << v.y << ' ' << v.z << '\n';
  }
  out.flush();
  if (!out) throw bad_file(path, 0, "the file cannot be written.");
}

}  // namespace ballast::md
