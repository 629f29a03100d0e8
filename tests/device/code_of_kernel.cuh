// SPDX-License-Identifier: Apache-2.0
// Kernels as launches of their own, without a task.
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast::test {

template <class K>
void run_on_host(void const* argument, detail::host_block_context& context) {
  detail::host_block<K> block({0, context.grid}, context.place());
  block.move_to(context.block);
  (*static_cast<K const*>(argument))(block);
}

#if defined(__CUDACC__)
template <class K, class Scratch = detail::launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads) run_on_gpu(__grid_constant__ K const kernel) {
  detail::cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel(block);
}
#endif

/// The code whose argument is a K.
template <class K>
kernel_code code_of_kernel(char const* name) {
  kernel_code code;
  code.name = name;
#if defined(__CUDACC__)
  code.cuda_function = &run_on_gpu<K>;
#endif
  code.host_function = &run_on_host<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

}  // namespace ballast::test
