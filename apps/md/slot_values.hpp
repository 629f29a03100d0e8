// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoms.hpp"
#include "cell_forces.cuh"
#include "force_field.hpp"
#include "motion.cuh"

namespace ballast::md {

inline std::uint32_t blocks_of(std::size_t atoms) {
  return static_cast<std::uint32_t>((atoms + atoms_per_block - 1) / atoms_per_block);
}

/// The most cells that are made for this many atoms.
constexpr std::size_t max_cells(std::size_t atoms) { return 8 * atoms + 4096; }

/// Atoms as kernels see them, by slot.
template <class Real>
struct slot_values {
  std::vector<placed_charge<double>> place, rebuilt_at;
  std::vector<placed_charge<Real>> rounded;
  std::vector<moving_mass> motion;

  slot_values(atoms const& state, std::vector<vec3> const& reference) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      auto const &p = state.position[i], &v = state.velocity[i], &r = reference[i];
      place.push_back({p.x, p.y, p.z, state.charge[i]});
      rounded.push_back({Real(p.x), Real(p.y), Real(p.z), Real(state.charge[i])});
      rebuilt_at.push_back({r.x, r.y, r.z, 0});
      motion.push_back({v.x, v.y, v.z, acceleration / state.mass[i]});
    }
  }
};

/// Writes the positions and velocities that kernels computed back to the atoms.
inline void take_motion(atoms& state, std::span<placed_charge<double> const> place,
                        std::span<moving_mass const> motion) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    state.position[i] = {place[i].x, place[i].y, place[i].z};
    state.velocity[i] = {motion[i].vx, motion[i].vy, motion[i].vz};
  }
}

/// The longest of the distances whose squares drift stored; NaN if one is.
inline double longest_way(std::span<double const> moved2) {
  double most = 0;
  for (double const one : moved2) {
    if (!(one <= most)) most = one;
    if (std::isnan(most)) break;
  }
  return std::sqrt(most);
}

template <class Real>
pair_formula<Real> formula_for(force_field const& field, bounds const& box) {
  auto const c = constants_of(field);
  pair_formula<Real> f{Real(c.cutoff2),
                       Real(c.a12),
                       Real(c.a6),
                       Real(c.lj_shift),
                       Real(c.lj_slope),
                       Real(coulomb),
                       Real(c.coulomb_shift),
                       Real(c.coulomb_slope),
                       {},
                       {}};
  for (int axis = 0; axis < 3; ++axis) {
    f.period[axis] = Real(box.length(axis));
    f.inverse_period[axis] = Real(1 / box.length(axis));
  }
  return f;
}

}  // namespace ballast::md
