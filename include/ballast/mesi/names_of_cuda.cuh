// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

// What kernels of the dialect may use that only nvcc knows, for the C++ compiler.
#if !defined(__CUDACC__)
#  define __forceinline__ inline __attribute__((always_inline))

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
template <class T>
T __ldg(T const* element) {
  return *element;
}
#endif
