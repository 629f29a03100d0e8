// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::nanodroplet {

/// Units everywhere in nanodroplet: Angstrom, femtosecond, kcal/mol, elementary charge, g/mol, Kelvin,
/// radian.
struct vec3 {
  double x, y, z;

  bool operator==(vec3 const&) const = default;
};

BALLAST_HD inline vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
BALLAST_HD inline vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
BALLAST_HD inline vec3 operator*(double s, vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
BALLAST_HD inline vec3& operator+=(vec3& a, vec3 b) { return a = a + b; }
BALLAST_HD inline vec3& operator-=(vec3& a, vec3 b) { return a = a - b; }
BALLAST_HD inline double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BALLAST_HD inline vec3 cross(vec3 a, vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
BALLAST_HD inline double length(vec3 a) { return std::sqrt(dot(a, a)); }

constexpr double pi = 3.14159265358979323846;
constexpr double degree = pi / 180;
constexpr double coulomb_constant = 332.06371;  ///< kcal/mol A/e^2
constexpr double boltzmann = 0.0019872067;      ///< kcal/mol/K
constexpr double acceleration = 4.184e-4;       ///< converts (kcal/mol/A)/(g/mol) to A/fs^2

/// k (x - rest)^2, without the factor of one half that others write before k.
struct harmonic {
  double k, rest;
};

/// Flexible TIP3P. A molecule is O, H1, H2 in this order; within it there are only two bonds and an angle,
/// and only its O has a Lennard-Jones term.
namespace tip3p {
constexpr double charge_o = -0.834, charge_h = 0.417;
constexpr double mass_o = 15.9994, mass_h = 1.008;
constexpr double epsilon = 0.1521, sigma = 3.1507;  ///< of O with O
constexpr harmonic bond{450, 0.9572}, angle{55, 104.52 * degree};
}  // namespace tip3p

/// M12, the molecule in the droplet's middle: beads 0 .. 6 are a chain, beads 7 .. 11 are attached to beads 1
/// .. 5. M7 is that chain alone.
namespace m12 {
constexpr std::uint32_t beads = 12, chain_beads = 7, side_beads = beads - chain_beads, torsions = 4;
constexpr double mass = 14;
constexpr double epsilon = 0.1, sigma = 3.4;
constexpr harmonic chain_bond{310, 1.35}, side_bond{310, 1.5}, angle{60, 112 * degree};
constexpr double torsion = 1.4;  ///< of 1.4 (1 + cos 3 phi)

BALLAST_HD inline double charge(std::uint32_t bead) {
  constexpr double of_bead[beads] = {.10, -.20, .15, -.10, .15, -.20, .10, .05, -.05, 0, -.05, .05};
  return of_bead[bead];
}
}  // namespace m12

/// For O with a bead: the geometric mean of epsilon, the arithmetic mean of sigma.
constexpr double mixed_epsilon = 0.12332882874656679;  ///< sqrt(0.1521 * 0.1)
constexpr double mixed_sigma = (tip3p::sigma + m12::sigma) / 2;

/// 4 epsilon sigma^12 and 4 epsilon sigma^6: the energy is (a12 / r^6 - a6) / r^6.
struct lennard_jones {
  double a12, a6;
};
constexpr lennard_jones lennard_jones_of(double epsilon, double sigma) {
  double const s6 = sigma * sigma * sigma * sigma * sigma * sigma;
  return {4 * epsilon * s6 * s6, 4 * epsilon * s6};
}
constexpr lennard_jones lj_o_o = lennard_jones_of(tip3p::epsilon, tip3p::sigma);
constexpr lennard_jones lj_o_bead = lennard_jones_of(mixed_epsilon, mixed_sigma);
constexpr lennard_jones lj_bead_bead = lennard_jones_of(m12::epsilon, m12::sigma);

}  // namespace ballast::nanodroplet
