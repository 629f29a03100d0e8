// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "atoms.hpp"
#include "force_field.hpp"
#include "pair_formula.cuh"

namespace ballast::md {

struct totals {
  std::int64_t pairs = 0;
  double energy_lj = 0, energy_coulomb = 0, force_square_sum = 0;
  vec3 force;  ///< the sum of all forces: zero except for rounding

  bool operator==(totals const&) const = default;
};
/// Sums in the order of the atoms.
totals totals_of(std::vector<atom_result> const& per_atom);
/// Throws ballast::error if an energy or a force is not a finite number.
void check_finite(totals const& sums);

struct reference_result {
  std::vector<atom_result> per_atom;
  totals sum;
  double virial = 0;  ///< sum over pairs of r . F, kcal/mol
};
/// Computes every pair of atoms in plain loops and double precision, sharing no code with the kernels, whose
/// reference it is. The time grows with the square of the number of atoms.
reference_result reference_forces(atoms const& all, force_field const& field);

}  // namespace ballast::md
