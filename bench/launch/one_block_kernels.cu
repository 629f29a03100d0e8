// SPDX-License-Identifier: Apache-2.0
#include "launch/one_block_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(one_block_kernels, ballast::for_launches, take_roots, multiply_and_add)
BALLAST_LAUNCHED(take_roots)
BALLAST_LAUNCHED(multiply_and_add)

#if defined(__CUDACC__)
namespace {

__global__ void __launch_bounds__(take_roots::threads) roots_on_gpu(float* numbers, std::uint32_t size) {
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) numbers[i] = sqrtf(numbers[i]);
}

__global__ void __launch_bounds__(multiply_and_add::threads)
    multiply_on_gpu(std::uint32_t* words, std::uint32_t steps) {
  multiply_and_add::run(threadIdx.x, words, steps);
}

}  // namespace

plain_roots plain_roots_kernel() { return &roots_on_gpu; }
plain_multiply plain_multiply_kernel() { return &multiply_on_gpu; }
#else
plain_roots plain_roots_kernel() { return nullptr; }
plain_multiply plain_multiply_kernel() { return nullptr; }
#endif

}  // namespace ballast::bench
