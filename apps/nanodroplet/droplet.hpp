// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "force_field.cuh"

namespace ballast::nanodroplet {

constexpr std::uint32_t max_waters = 1024;

/// The atoms of a droplet: O, H1, H2 of each water, and the beads of the solute (12, 7 or none).
struct droplet {
  std::vector<vec3> water, beads;

  std::uint32_t waters() const { return static_cast<std::uint32_t>(water.size() / 3); }
  std::size_t atoms() const { return water.size() + beads.size(); }
  bool operator==(droplet const&) const = default;
};

struct droplet_spec {
  std::uint32_t waters = 356;   ///< 1 .. max_waters
  bool has_solute = true;       ///< M12 in the middle, in a hole of radius 5.6 A
  std::uint32_t conformer = 0;  ///< torsion t of M12 is turned by conformer * (t + 1) * 40 degrees
  bool has_sides = true;        ///< of the solute; false: it is M7

  std::uint32_t beads() const { return !has_solute ? 0 : has_sides ? m12::beads : m12::chain_beads; }
};

/// Waters on the sites of a cubic grid that are nearest to the middle. Throws bad_argument ("waters").
droplet make_droplet(droplet_spec const& spec);

/// `waters` such waters (possibly 0) around these beads, which stay in place.
droplet surrounded(std::vector<vec3> beads, std::uint32_t waters);

/// The mass in g/mol; `atom` counts the atoms of all waters.
double mass_of_water_atom(std::size_t atom);

/// Interactions of one evaluation of the forces as Wende et al. 2012 count them in their equation 2.
std::uint64_t interactions(std::uint64_t waters, std::uint64_t beads);

/// The reported shape of a droplet during a run.
struct droplet_shape {
  double gyration_radius = 0;  ///< of the oxygens about their middle, root mean square, A
  double greatest_radius = 0;  ///< of the farthest oxygen, which reveals a water that left; A
  std::array<double, m12::torsions> torsions{};  ///< radian; 0 without a solute

  bool operator==(droplet_shape const&) const = default;
};

droplet_shape shape_of(droplet const& system);

/// The atoms that a minimiser may move.
enum class movable { all, water };

struct minimised_droplet {
  droplet system;
  double energy;          ///< kcal/mol
  double greatest_force;  ///< on any atom that may move, kcal/mol/A
  std::uint32_t iterations;
};

/// Relaxes a strained droplet: FIRE (Bitzek et al. 2006) on the calling thread, until no force exceeds
/// `force` kcal/mol/A, for at most `iterations` iterations, or until `stop_requested` returns true. The same
/// start gives the same bits.
minimised_droplet minimised(
    droplet start, std::uint32_t iterations, double force,
    std::function<bool()> const& stop_requested = [] { return false; }, movable moves = movable::all);

}  // namespace ballast::nanodroplet
