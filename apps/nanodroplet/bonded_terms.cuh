// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "force_field.cuh"

namespace ballast::nanodroplet {

// Each function adds the forces of one term to its atoms' forces and returns the energy.

BALLAST_HD inline double add_bond(harmonic term, vec3 a, vec3 b, vec3& on_a, vec3& on_b) {
  vec3 const d = a - b;
  double const r = length(d), stretch = r - term.rest;
  vec3 const f = (-2 * term.k * stretch / r) * d;
  on_a += f;
  on_b -= f;
  return term.k * stretch * stretch;
}

/// The angle at `b` between a and c.
BALLAST_HD inline double add_angle(harmonic term, vec3 a, vec3 b, vec3 c, vec3& on_a, vec3& on_b,
                                   vec3& on_c) {
  vec3 const ba = a - b, bc = c - b;
  double const la = length(ba), lc = length(bc);
  vec3 const ua = (1 / la) * ba, uc = (1 / lc) * bc;
  double const cosine = dot(ua, uc), sine = length(cross(ua, uc));
  double const bend = std::atan2(sine, cosine) - term.rest;
  double const slope = 2 * term.k * bend / (sine > 1e-9 ? sine : 1e-9);  // straight: all directions are
                                                                         // equivalent
  vec3 const fa = (slope / la) * (uc - cosine * ua), fc = (slope / lc) * (ua - cosine * uc);
  on_a += fa;
  on_c += fc;
  on_b -= fa + fc;
  return term.k * bend * bend;
}

/// The angle by which the far end of a-b-c-d is turned about b-c: 0 if a and d are on the same side (cis).
BALLAST_HD inline double torsion_angle(vec3 a, vec3 b, vec3 c, vec3 d) {
  vec3 const axis = c - b, m = cross(b - a, axis), n = cross(axis, d - c);
  return std::atan2(length(axis) * dot(b - a, n), dot(m, n));
}

/// k (1 + cos 3 phi) of a-b-c-d. The derivatives are those of Blondel and Karplus (1996).
BALLAST_HD inline double add_torsion(double k, vec3 const (&at)[4], vec3* const (&on)[4]) {
  vec3 const f = at[0] - at[1], g = at[1] - at[2], h = at[3] - at[2];
  vec3 const a = cross(f, g), b = cross(h, g);
  double const a2 = dot(a, a), b2 = dot(b, b), lg = length(g);
  double const phi = torsion_angle(at[0], at[1], at[2], at[3]);
  double const slope = 3 * k * std::sin(3 * phi);  // minus dE/dphi
  vec3 const end_a = (-slope * lg / a2) * a, end_d = (slope * lg / b2) * b;
  vec3 const shear = slope * ((dot(f, g) / (a2 * lg)) * a - (dot(h, g) / (b2 * lg)) * b);
  *on[0] += end_a;
  *on[1] += shear - end_a;
  *on[2] -= shear + end_d;
  *on[3] += end_d;
  return k * (1 + std::cos(3 * phi));
}

}  // namespace ballast::nanodroplet
