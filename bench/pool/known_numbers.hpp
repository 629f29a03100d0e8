// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace ballast::bench {

inline std::uint64_t fibonacci_number(std::uint32_t n) {
  std::uint64_t number = 0, next = 1;
  for (; n > 0; --n) number = std::exchange(next, number + next);
  return number;
}

/// OEIS A000170, n up to 16.
inline std::uint64_t queens_solutions(std::uint32_t n) {
  constexpr std::array<std::uint64_t, 17> known{1,   1,   0,    0,     2,     10,     4,       40,      92,
                                                352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  return known.at(n);
}

}  // namespace ballast::bench
