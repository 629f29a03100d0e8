// SPDX-License-Identifier: Apache-2.0
#include "launch/spin_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(spin_kernels, ballast::for_launches, spin_block)
BALLAST_LAUNCHED(spin_block)

#if defined(__CUDACC__)
namespace {

__global__ void __launch_bounds__(spin_block::threads)
    spin_on_gpu(std::uint32_t* runs, std::uint64_t busy_ns) {
  if (threadIdx.x == 0) spin_and_count(runs + blockIdx.x, busy_ns);
}

}  // namespace

plain_spin plain_spin_kernel() { return &spin_on_gpu; }
#else
plain_spin plain_spin_kernel() { return nullptr; }
#endif

}  // namespace ballast::bench
