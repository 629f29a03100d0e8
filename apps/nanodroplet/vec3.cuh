// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

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

}  // namespace ballast::nanodroplet
