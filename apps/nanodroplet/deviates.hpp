// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "force_field.cuh"

namespace ballast::nanodroplet {

/// Random numbers that depend on nothing but a chain's seed, the number of its trajectory and how many were
/// drawn before: SplitMix64 (Steele, Lea, Flood 2014), begun elsewhere for each pair.
class deviates {
 public:
  deviates(std::uint64_t seed, std::uint64_t trajectory) : state_(mixed(mixed(seed) + trajectory)) {}

  /// In (0, 1), with 53 bits.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

  /// With mean 0 and variance 1 (Box and Muller).
  double normal() {
    if (std::exchange(has_second_, !has_second_)) return second_;
    double const radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * pi * uniform();
    second_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15u); }

  std::uint64_t state_;
  bool has_second_ = false;
  double second_ = 0;
};

}  // namespace ballast::nanodroplet
