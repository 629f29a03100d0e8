// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::nanodroplet {

/// Potential energy by kind, in kcal/mol.
struct energy_terms {
  double bond = 0, angle = 0, dihedral = 0, vdw = 0, coulomb = 0;

  double total() const { return bond + angle + dihedral + vdw + coulomb; }
  energy_terms& operator+=(energy_terms const& other) {
    bond += other.bond;
    angle += other.angle;
    dihedral += other.dihedral;
    vdw += other.vdw;
    coulomb += other.coulomb;
    return *this;
  }
  bool operator==(energy_terms const&) const = default;
};

}  // namespace ballast::nanodroplet
