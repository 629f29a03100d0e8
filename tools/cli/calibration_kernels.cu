// SPDX-License-Identifier: Apache-2.0
#include "ballast/kernel.cuh"
#include "calibration.hpp"

namespace ballast::cli {
namespace {

/// Computes a sequence whose end a compiler cannot compute (xorshift, Marsaglia 2003).
BALLAST_HD void spin(spin_argument const& argument) {
  std::uint32_t state = argument.rounds | 1u;
  for (std::uint32_t i = 0; i < argument.rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
  }
  *argument.word = state;
}

void spin_on_host(void const* argument, detail::host_block_context&) {
  spin(*static_cast<spin_argument const*>(argument));
}
void large_spin_on_host(void const* argument, detail::host_block_context&) {
  spin(static_cast<large_spin_argument const*>(argument)->spin);
}

#if defined(__CUDACC__)
__global__ void spin_on_gpu(spin_argument argument) { spin(argument); }
__global__ void large_spin_on_gpu(large_spin_argument argument) { spin(argument.spin); }
__global__ void plain_spin(std::uint32_t* word, std::uint32_t rounds) { spin({word, rounds}); }
#  define BALLAST_CALIBRATION_GPU(kernel) &kernel
#else
#  define BALLAST_CALIBRATION_GPU(kernel) nullptr
#endif

}  // namespace

kernel_code spin_kernel() { return {"spin", BALLAST_CALIBRATION_GPU(spin_on_gpu), &spin_on_host, 1, 0}; }
kernel_code large_spin_kernel() {
  return {"large spin", BALLAST_CALIBRATION_GPU(large_spin_on_gpu), &large_spin_on_host, 1, 0};
}
gpu_function spin_function() { return BALLAST_CALIBRATION_GPU(plain_spin); }

}  // namespace ballast::cli
