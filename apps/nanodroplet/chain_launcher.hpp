// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "force_field.cuh"
#include "water_groups.cuh"

namespace ballast::nanodroplet {

/// The memory that a chain shares with the launcher that moves its water. Lives as long as the launcher.
struct chain_exchange {
  std::span<vec3> start;     ///< read by load(): positions of the water's atoms, A
  std::span<vec3> velocity;  ///< read by begin_trajectory(): of the water's atoms, A/fs
  std::span<vec3> beads;     ///< read by step(): positions, A

  std::span<vec3 const> on_beads;  ///< written by each step: the waters' forces on the beads, kcal/mol/A
  std::span<vec3 const> water, water_velocity;  ///< written by a last step
  std::span<block_result const> blocks;  ///< written by a last step; their sums are taken in this order
};

/// Moves the water of one chain; the chain moves the beads. Submitted work takes effect in order, and the
/// exchange belongs to the launcher until is_finished(). One thread at a time may call; no call waits unless
/// stated. All throw device_lost after a fault.
class chain_launcher {
 public:
  virtual ~chain_launcher() = default;

  virtual chain_exchange exchange() = 0;

  /// Submits a reset: the water is at `start`, at rest, with unknown forces.
  virtual void load() = 0;
  /// Submits: if `keeps`, stores the present positions and forces for a later return; otherwise returns to
  /// the stored ones. Then half a step's change of velocity, and a step's change of position.
  virtual void begin_trajectory(bool keeps) = 0;
  /// Submits a step: the forces at the present positions, then a step's change of velocity and of position;
  /// in the trajectory's last step only half a step's change of velocity.
  virtual void step(bool is_last) = 0;
  /// True if all submitted work is done.
  virtual bool is_finished() = 0;
};

}  // namespace ballast::nanodroplet
