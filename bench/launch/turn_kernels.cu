// SPDX-License-Identifier: Apache-2.0
#include "launch/turn_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(turn_kernels, ballast::for_launches, spin_in_turn)

#if defined(__CUDACC__)
namespace {

__global__ void __launch_bounds__(spin_in_turn::threads)
    turn_on_gpu(std::uint32_t* word, std::uint64_t busy_ns, std::uint32_t turn) {
  if (threadIdx.x == 0) spin_in_turn_at(word, busy_ns, turn);
}

}  // namespace

plain_turn plain_turn_kernel() { return &turn_on_gpu; }
#else
plain_turn plain_turn_kernel() { return nullptr; }
#endif

}  // namespace ballast::bench
