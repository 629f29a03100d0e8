// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ballast/detail/job/task_of_kernel.cuh"
#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"

namespace ballast::detail {

template <class K>
void run_task_on_cores(void const* argument, host_block_context& context) {
  auto const& task = *static_cast<task_of_kernel<K> const*>(argument);
  host_block<K> block(task.range, context.place());
  block.move_to(task.range.first + context.block);
  task.kernel(block);
}

#if defined(__CUDACC__)
template <class K, class Scratch = launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads, clamped_launch_bound<K::threads, launch_bound_blocks<K>>)
    run_task_on_gpu(__grid_constant__ task_of_kernel<K> const task) {
  cuda_block<K> block(task.range, nullptr);
  block.move_to(task.range.first + blockIdx.x);
  task.kernel(block);
}
#endif

template <kernel_form K>
listed_job_kernel list_kernel() {
  static_assert(K::threads >= 32,
                "kernels of one thread are for task pools: list them in BALLAST_POOL_KERNELS");
  static_assert(!declares_spawns<K>,
                "kernels that create tasks are for BALLAST_SPAWNING_KERNELS and BALLAST_POOL_KERNELS");
  static_assert(sizeof(K) <= max_job_kernel_bytes,
                "this kernel's members exceed 4000 bytes: hand over what is larger in an array");
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&run_task_on_gpu<K>);
#endif
  code.host_function = &run_task_on_cores<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return {key_of<K>, type_name<K>(), code};
}

template <class... K>
std::vector<listed_job_kernel> list_kernels() {
  return {list_kernel<K>()...};
}

}  // namespace ballast::detail
