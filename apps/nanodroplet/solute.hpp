// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "energy_terms.hpp"
#include "force_field.cuh"

namespace ballast::nanodroplet {

/// The 12 beads of M12 in A, with torsion t (0 .. 3) turned by conformer * (t + 1) * 40 degrees.
std::vector<vec3> m12_beads(std::uint32_t conformer);

/// The beads of M12, or of M7 without `sides`, with bonds and angles at rest, about their middle, with these
/// torsions in radian. If bit n of `sides` is set, bead 7 + n is on the other side of the chain.
std::vector<vec3> beads_with(std::array<double, m12::torsions> const& torsions,
                             std::optional<std::uint32_t> sides);

/// The sides of the chain on which the beads 7 .. 11 are, as the bits of beads_with(): a bead crosses the
/// chain only over a barrier.
std::uint32_t sides_of(std::span<vec3 const> beads);

/// The torsions of M12 or M7 in radian, -pi .. pi.
std::array<double, m12::torsions> m12_torsions(std::span<vec3 const> beads);

/// Adds the forces, bonded and not, of M12's or M7's beads on each other to `forces`; returns their energy.
/// Does nothing for no beads.
energy_terms add_solute_forces(std::span<vec3 const> beads, std::span<vec3> forces);

/// The kinetic energy in kcal/mol of beads with these velocities in A/fs.
double kinetic_of_beads(std::span<vec3 const> velocity);

/// The beads of one chain, which the host moves as the device moves the water: see chain_launcher.
class solute_motion {
 public:
  /// Time step in fs.
  solute_motion(std::vector<vec3> beads, double time_step);

  std::vector<vec3> const& beads() const { return position_; }
  /// The energy of the beads' mutual forces, at the last find_own_forces().
  energy_terms const& energy() const { return energy_; }
  std::vector<vec3> const& velocities() const { return velocity_; }

  void begin_trajectory(bool keeps, std::span<vec3 const> velocity);
  /// Computes the forces of the beads on each other at their present positions; the device may compute
  /// meanwhile.
  void find_own_forces();
  /// Adds the waters' forces, then makes the beads' part of chain_launcher::step().
  void step(std::span<vec3 const> from_water, bool is_last);

 private:
  void kick(double steps);
  void drift();

  double time_step_;
  std::vector<vec3> position_, velocity_, force_, kept_position_, kept_force_;
  energy_terms energy_;
};

}  // namespace ballast::nanodroplet
