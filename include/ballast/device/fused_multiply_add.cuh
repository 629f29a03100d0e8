// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ballast/device/qualifiers.cuh"

namespace ballast::inline device {

/// a * b + c in one rounding on a GPU and in two on the host, wherever it is compiled. For kernels whose
/// results must not depend on which launch runs them: compilers fuse differently from one launch to the next,
/// so their files forbid it (--fmad=false, -ffp-contract=off), and ask for it here.
BALLAST_HD inline float fused_multiply_add(float a, float b, float c) {
#if BALLAST_ON_GPU
  return __fmaf_rn(a, b, c);
#else
  return a * b + c;
#endif
}
BALLAST_HD inline double fused_multiply_add(double a, double b, double c) {
#if BALLAST_ON_GPU
  return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}

/// 1 over the square root of a; on a GPU its own instruction.
BALLAST_HD inline float inverse_square_root(float a) {
#if BALLAST_ON_GPU
  return rsqrtf(a);
#else
  return 1.0f / std::sqrt(a);
#endif
}
BALLAST_HD inline double inverse_square_root(double a) {
#if BALLAST_ON_GPU
  return rsqrt(a);
#else
  return 1.0 / std::sqrt(a);
#endif
}

}  // namespace ballast::inline device
