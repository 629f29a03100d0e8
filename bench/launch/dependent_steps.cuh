// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::bench {

/// A chain of dependent multiply-adds. The shift between them keeps the compiler from combining several. Two
/// factors give two copies of the code.
template <std::uint32_t Factor = 1664525>
BALLAST_HD std::uint32_t multiplied_and_added(std::uint32_t value, std::uint32_t steps) {
  for (std::uint32_t i = 0; i < steps; ++i) value = (value ^ value >> 15) * Factor + 1013904223u;
  return value;
}

}  // namespace ballast::bench
