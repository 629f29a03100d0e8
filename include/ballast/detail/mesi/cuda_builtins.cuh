// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

// nvcc's built-ins that kernels of the dialect may use, for the C++ compiler.
#if !defined(__CUDACC__)
#  define __forceinline__ inline __attribute__((always_inline))

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline int(min)(int a, int b) { return b < a ? b : a; }
inline unsigned(min)(unsigned a, unsigned b) { return b < a ? b : a; }
inline long(min)(long a, long b) { return b < a ? b : a; }
inline unsigned long(min)(unsigned long a, unsigned long b) { return b < a ? b : a; }
inline long long(min)(long long a, long long b) { return b < a ? b : a; }
inline unsigned long long(min)(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline float(min)(float a, float b) { return std::fmin(a, b); }
inline double(min)(double a, double b) { return std::fmin(a, b); }
inline int(max)(int a, int b) { return a < b ? b : a; }
inline unsigned(max)(unsigned a, unsigned b) { return a < b ? b : a; }
inline long(max)(long a, long b) { return a < b ? b : a; }
inline unsigned long(max)(unsigned long a, unsigned long b) { return a < b ? b : a; }
inline long long(max)(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long(max)(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float(max)(float a, float b) { return std::fmax(a, b); }
inline double(max)(double a, double b) { return std::fmax(a, b); }
template <class T>
T __ldg(T const* element) {
  return *element;
}
#endif
