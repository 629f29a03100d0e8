// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "force_field.cuh"
#include "water_groups.cuh"

namespace ballast::nanodroplet {

// Kernels that treat each atom of the waters once, each launched with water_groups::blocks() blocks.

BALLAST_HD inline vec3 moved(vec3 from, double by, vec3 along) {
  return {fma_on_gpu(by, along.x, from.x), fma_on_gpu(by, along.y, from.y), fma_on_gpu(by, along.z, from.z)};
}

/// The factor by which a force times fs is a change of velocity.
BALLAST_HD inline double force_to_acceleration(std::uint32_t atom) {
  return acceleration / (atom % 3 == 0 ? tip3p::mass_o : tip3p::mass_h);
}

template <class Block, class F>
BALLAST_HD void for_each_atom(Block& block, std::uint32_t waters, F&& treat) {
  water_groups const all{waters};
  for (std::uint32_t g = block.index(); g < all.groups(); g += all.blocks()) {
    std::uint32_t const first = 3 * all[g].first;
    block.for_each(all[g].atoms(), [&](std::uint32_t i) { treat(first + i); });
  }
}

/// Takes positions from the host; the atoms are at rest.
struct load_water {
  static constexpr int threads = block_threads, blocks_per_multiprocessor = requested_per_multiprocessor;

  array_ref<vec3 const> start;
  array_ref<vec3> position, velocity;
  std::uint32_t waters;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for_each_atom(block, waters, [&](std::uint32_t a) {
      position[a] = start[a];
      velocity[a] = vec3{};
    });
  }
};

/// Stores the present state or returns to the stored one; then half a step's change of velocity and a step's
/// of position.
struct begin_water {
  static constexpr int threads = block_threads, blocks_per_multiprocessor = requested_per_multiprocessor;

  array_ref<vec3 const> drawn;  ///< velocities
  array_ref<vec3> position, velocity, force, kept_position, kept_force;
  double time_step;  ///< fs
  std::uint32_t waters;
  std::uint32_t keeps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for_each_atom(block, waters, [&](std::uint32_t a) {
      vec3 const from = keeps != 0 ? position[a] : kept_position[a];
      vec3 const f = keeps != 0 ? force[a] : kept_force[a];
      kept_position[a] = from;
      kept_force[a] = f;
      vec3 const v = moved(drawn[a], 0.5 * time_step * force_to_acceleration(a), f);
      velocity[a] = v;
      position[a] = moved(from, time_step, v);
    });
  }
};

/// K3: adds up the results of K1 and K2, also for the beads, and moves the waters; after a trajectory's last
/// step it does not move them but reports their positions and velocities to the host.
struct propagate_water {
  static constexpr int threads = block_threads, blocks_per_multiprocessor = requested_per_multiprocessor;

  array_ref<vec3> position, velocity, force;
  array_ref<vec3 const> from_water, from_beads;
  array_ref<vec3 const> reaction;  ///< by block b on bead i: [b * m12::beads + i]
  array_ref<vec3> on_beads;
  array_ref<vec3> final_state;  ///< positions, then velocities
  double time_step;             ///< fs
  std::uint32_t waters, beads;
  std::uint32_t is_last;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for_each_atom(block, waters, [&](std::uint32_t a) { move(a); });
    if (block.index() == 0) block.for_each(beads, [&](std::uint32_t b) { on_beads[b] = sum_for(b); });
  }

 private:
  BALLAST_HD void move(std::uint32_t a) const {
    vec3 const f = from_water[a] + from_beads[a];
    double const steps = is_last != 0 ? 0.5 : 1.0;
    vec3 const v = moved(velocity[a], steps * time_step * force_to_acceleration(a), f);
    force[a] = f;
    velocity[a] = v;
    if (is_last == 0) {
      position[a] = moved(position[a], time_step, v);
    } else {
      final_state[a] = position[a];
      final_state[3 * waters + a] = v;
    }
  }

  BALLAST_HD vec3 sum_for(std::uint32_t b) const {
    vec3 sum{};
    for (std::uint32_t k = 0; k < water_groups{waters}.blocks(); ++k) sum += reaction[k * m12::beads + b];
    return sum;
  }
};

}  // namespace ballast::nanodroplet
