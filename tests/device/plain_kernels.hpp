// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/gpu_function.hpp"

namespace ballast::test {

/// The functions below give `__global__` functions; none where CUDA was not built.

/// Three words side by side, as a kernel's parameter.
struct factors {
  std::uint16_t by_x, by_y;
  std::uint64_t by_z;
};

/// record_threads(std::uint64_t* notes, std::uint8_t added, double scale, factors weight): thread t of block
/// b, both counted with x as the fastest, writes to notes[b * threads of a block + t] scale * (weighted block
/// + 1000 * weighted thread) + added, where a place (x, y, z) weighs x * by_x + y * by_y + z * by_z.
gpu_function record_threads_function();

/// sum_shared(std::uint32_t* sums, std::uint32_t bytes): block b fills `bytes` of its dynamic shared memory
/// with b, reads them back and writes their sum to sums[b]. For blocks and grids of one dimension.
gpu_function sum_shared_function();

/// append_digit(std::uint64_t* number, std::uint64_t digit): *number = 10 * *number + digit, by one thread.
gpu_function append_digit_function();

/// do_nothing(): a kernel without parameters.
gpu_function do_nothing_function();

}  // namespace ballast::test
