// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "force_field.cuh"

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

/// Two atoms at a distance. Each function adds the pair's forces to both atoms and returns its energy.
struct pair_of {
  explicit pair_of(vec3 from_b_to_a) : d_(from_b_to_a), inverse2_(1 / dot(d_, d_)) {}

  double add_coulomb(double charges, vec3& on_a, vec3& on_b) const {
    double const energy = coulomb_constant * charges * std::sqrt(inverse2_);
    push_apart(energy * inverse2_, on_a, on_b);
    return energy;
  }
  double add_lennard_jones(lennard_jones const& term, vec3& on_a, vec3& on_b) const {
    double const inverse6 = inverse2_ * inverse2_ * inverse2_, repulsion = term.a12 * inverse6;
    push_apart(inverse6 * (12 * repulsion - 6 * term.a6) * inverse2_, on_a, on_b);
    return inverse6 * (repulsion - term.a6);
  }

 private:
  void push_apart(double scale, vec3& on_a, vec3& on_b) const {
    on_a += scale * d_;
    on_b -= scale * d_;
  }

  vec3 d_;
  double inverse2_;
};

}  // namespace ballast::nanodroplet
