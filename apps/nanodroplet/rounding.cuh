// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ballast/device/qualifiers.cuh"

namespace ballast::nanodroplet {

// The build forbids the compilers to fuse a * b + c on their own, since they would do it differently in
// different launches of one kernel. On a GPU it is asked for here.
BALLAST_HD inline double fused(double a, double b, double c) {
#if BALLAST_ON_GPU
  return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}

BALLAST_HD inline double inverse_root(double a) {
#if BALLAST_ON_GPU
  return rsqrt(a);
#else
  return 1.0 / std::sqrt(a);
#endif
}

}  // namespace ballast::nanodroplet
