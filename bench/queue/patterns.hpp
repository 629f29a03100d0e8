// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballast::bench {

/// Which of the `blocks` of a grid work (1) and which are nullified (0) in pattern P0 .. P4 of Chen et al.
/// 2010, Figure 6. The text does not define the shapes of P1 to P3; in our reading P0: all work, P1: every
/// other, P2: the first half, P3: three of four, P4: one of four.
inline std::vector<std::uint32_t> active_blocks(int pattern, std::size_t blocks) {
  std::vector<std::uint32_t> active(blocks, 1);
  for (std::size_t i = 0; i < blocks; ++i) {
    if (pattern == 1) active[i] = i % 2 == 0;
    if (pattern == 2) active[i] = i < blocks / 2;
    if (pattern == 3) active[i] = i % 4 != 3;
    if (pattern == 4) active[i] = i % 4 == 0;
  }
  return active;
}

}  // namespace ballast::bench
