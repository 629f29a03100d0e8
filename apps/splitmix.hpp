// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// SplitMix64 (Steele, Lea, Flood 2014).
namespace ballast::splitmix {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  ///< added to the state by each step

/// The output function, which maps the state to 64 uniform bits.
constexpr std::uint64_t output(std::uint64_t state) {
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A whole step, with the golden constant added first: a counter in, 64 uniform bits out.
constexpr std::uint64_t mix(std::uint64_t counter) { return output(counter + golden); }

/// The upper 53 bits of mix(counter) as a number in (0, 1).
constexpr double uniform(std::uint64_t counter) {
  return (static_cast<double>(mix(counter) >> 11) + 0.5) * 0x1p-53;
}

}  // namespace ballast::splitmix
