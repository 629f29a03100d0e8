// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::md {

/// SplitMix64's step, the golden constant added first: a counter in, 64 even bits out (Steele, Lea, Flood
/// 2014).
constexpr std::uint64_t mix(std::uint64_t counter) {
  std::uint64_t z = counter + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1) with 53 bits.
constexpr double uniform(std::uint64_t counter) {
  return (static_cast<double>(mix(counter) >> 11) + 0.5) * 0x1p-53;
}

}  // namespace ballast::md
