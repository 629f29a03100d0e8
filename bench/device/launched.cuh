// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast::bench {

/// The kernel K as a launch of its own, without a task; the argument is the functor. A .cu file instantiates
/// code_of<K>() by BALLAST_LAUNCHED.
template <kernel_form K>
kernel_code code_of();

/// Launches `grid` blocks. Does not wait.
template <kernel_form K>
void start(stream& on, std::uint32_t grid, K const& kernel) {
  on.launch(code_of<K>(), grid, &kernel, sizeof(K));
}
/// Launches `grid` blocks that are all resident at the same time, so that they contend. Does not wait.
template <kernel_form K>
void start_together(stream& on, std::uint32_t grid, K const& kernel) {
  on.launch_cooperative(code_of<K>(), grid, &kernel, sizeof(K));
}

template <kernel_form K>
void start_on_host(void const* argument, detail::host_block_context& context) {
  detail::host_block<K> block({0, context.grid}, context.place());
  block.move_to(context.block);
  (*static_cast<K const*>(argument))(block);
}

#if defined(__CUDACC__)
template <kernel_form K, class Scratch = detail::launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads,
                                  detail::clamped_launch_bound<K::threads, detail::launch_bound_blocks<K>>)
    start_on_gpu(K kernel) {
  detail::cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel(block);
}
#  define BALLAST_GPU_FUNCTION(...) &__VA_ARGS__
#else
#  define BALLAST_GPU_FUNCTION(...) nullptr
#endif

#define BALLAST_LAUNCHED(K)                                                                              \
  template <>                                                                                            \
  kernel_code code_of<K>() {                                                                             \
    return {#K, BALLAST_GPU_FUNCTION(start_on_gpu<K>), &start_on_host<K>, K::threads, scratch_bytes<K>}; \
  }

}  // namespace ballast::bench
