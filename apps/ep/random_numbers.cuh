// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::ep {

/// The benchmark's linear congruential generator (Bailey et al., NAS Technical Report RNR-94-007):
/// s(k + 1) = 5^13 s(k) modulo 2^46, s(0) = 271828183, and the random number s(k) 2^-46. In whole numbers:
/// the product wraps modulo 2^64, of which 2^46 is a divisor, so that it is exact.
class random_numbers {
 public:
  static constexpr std::uint64_t seed = 271828183, multiplier = 1220703125;

  /// The next number is s(after + 1).
  BALLAST_HD static random_numbers from(std::uint64_t after) {
    std::uint64_t state = seed, power = multiplier;
    for (; after != 0; after /= 2, power = modulo(power * power))
      if (after % 2 != 0) state = modulo(state * power);
    return random_numbers(state);
  }

  /// Above 0 and below 1.
  BALLAST_HD double next() {
    state_ = modulo(state_ * multiplier);
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  BALLAST_HD explicit random_numbers(std::uint64_t state) : state_(state) {}
  BALLAST_HD static std::uint64_t modulo(std::uint64_t number) {
    return number & ((std::uint64_t{1} << 46) - 1);
  }

  std::uint64_t state_;
};

}  // namespace ballast::ep
