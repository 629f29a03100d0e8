// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/stream.hpp"

namespace ballast::test {

/// Block b adds 1 to visits[b].
struct visit_argument {
  std::uint32_t* visits;
};
kernel_code visit_kernel();

/// Every block adds 1 to arrived[0] and waits until all of the grid have.
struct meet_argument {
  std::uint32_t* arrived;
};
kernel_code meet_kernel();

/// Writes 1 to the first word and waits until the second is not 0 (both pinned); one block.
struct hold_argument {
  std::uint32_t* started;
  std::uint32_t* released;
};
kernel_code hold_kernel();

/// Fills its scratch with the block's index, reads it back and writes the sum of its bytes to sums[b].
struct scratch_argument {
  std::uint32_t* sums;
};
kernel_code scratch_kernel(std::uint32_t bytes);

/// Block b writes the number of the multiprocessor that it runs on to numbers[b]; 0 on the host.
struct sm_number_argument {
  std::uint32_t* numbers;
};
kernel_code sm_number_kernel();

/// Throws on the host ("planted"), traps on a GPU.
kernel_code fault_kernel();

}  // namespace ballast::test
