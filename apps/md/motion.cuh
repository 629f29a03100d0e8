// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cell_forces.cuh"

namespace ballast::md {

struct alignas(16) moving_mass {
  double vx, vy, vz;    ///< A/fs
  double acceleration;  ///< A/fs^2 per kcal/mol/A: force times this is the acceleration
};

struct motion_arguments {
  array_ref<placed_charge<double>> place;  ///< by slot, like all of these
  array_ref<moving_mass> motion;
  array_ref<atom_result const> result;
  array_ref<placed_charge<double> const> rebuilt_at;  ///< the positions from which the cells were built
  array_ref<double> moved2;                           ///< by block: the longest distance moved since then,
                                                      ///< squared
  double time_step;                                   ///< fs
  std::uint32_t atoms;
};

/// The second half of a velocity-Verlet step: half a step's change of velocity. 128 atoms per block.
struct kick {
  static constexpr int threads = int(atoms_per_block);

  motion_arguments on;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(atoms_per_block, [&](std::uint32_t i) {
      std::uint32_t const slot = block.index() * atoms_per_block + i;
      if (slot < on.atoms) on.motion[slot] = kicked(slot);
    });
  }

  BALLAST_HD moving_mass kicked(std::uint32_t slot) const {
    auto m = on.motion[slot];
    double const half = 0.5 * on.time_step * m.acceleration;
    m.vx = fma_on_gpu(half, on.result[slot].fx, m.vx);
    m.vy = fma_on_gpu(half, on.result[slot].fy, m.vy);
    m.vz = fma_on_gpu(half, on.result[slot].fz, m.vz);
    return m;
  }
};

/// The first half: half a step's change of velocity, then a step's change of position, which is also written
/// in the precision that the forces read.
template <class Real>
struct drift {
  static constexpr int threads = int(atoms_per_block);
  struct scratch {
    double moved2[atoms_per_block];
  };

  motion_arguments on;
  array_ref<placed_charge<Real>> rounded;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& shared = block.scratch();
    block.for_each(atoms_per_block, [&](std::uint32_t i) {
      std::uint32_t const slot = block.index() * atoms_per_block + i;
      shared.moved2[i] = slot < on.atoms ? move(slot) : 0.0;
    });
    block.sync();
    if (block.rank() == 0) on.moved2[block.index()] = longest(shared);
  }

 private:
  BALLAST_HD double move(std::uint32_t slot) const {
    auto const m = kick{on}.kicked(slot);
    on.motion[slot] = m;
    auto at = on.place[slot];
    at.x = fma_on_gpu(on.time_step, m.vx, at.x);
    at.y = fma_on_gpu(on.time_step, m.vy, at.y);
    at.z = fma_on_gpu(on.time_step, m.vz, at.z);
    on.place[slot] = at;
    rounded[slot] = {Real(at.x), Real(at.y), Real(at.z), Real(at.q)};
    auto const& from = on.rebuilt_at[slot];
    double const dx = at.x - from.x, dy = at.y - from.y, dz = at.z - from.z;
    return fma_on_gpu(dx, dx, fma_on_gpu(dy, dy, dz * dz));
  }

  /// The longest of the block's distances. One that is NaN counts as the longest: divergence must not go
  /// unnoticed.
  BALLAST_HD static double longest(scratch const& shared) {
    double most = 0;
    for (std::uint32_t i = 0; i < atoms_per_block; ++i) {
      if (!(shared.moved2[i] <= most)) most = shared.moved2[i];
      if (most != most) return most;
    }
    return most;
  }
};

}  // namespace ballast::md
