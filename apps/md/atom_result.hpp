// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::md {

/// What one atom feels: force in kcal/mol/A, its energies (half of each pair's), its neighbours within the
/// cut-off. Sums are double precision whatever the terms are.
struct alignas(16) atom_result {
  double fx = 0, fy = 0, fz = 0, e_lj = 0, e_coulomb = 0;
  std::int64_t neighbours = 0;

  bool operator==(atom_result const&) const = default;
};

}  // namespace ballast::md
