// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

/// Whether this file compiles kernels, so that a kernel may be launched here that is in no set. Where no CUDA
/// compiler is used, ballast_add_kernels() says so. Inline functions that .cu and .cpp files share launch
/// kernels of sets: of two versions of such a function the linker keeps one.
#if !defined(BALLAST_COMPILES_KERNELS)
#  if defined(__CUDACC__)
#    define BALLAST_COMPILES_KERNELS true
#  else
#    define BALLAST_COMPILES_KERNELS false
#  endif
#endif

namespace ballast::detail {

/// The argument of an ordinary launch: the kernel, and which blocks of its grid the launch is.
template <class K>
struct task_of_kernel {
  K kernel;
  block_range range;
};

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

/// The code of an ordinary launch of a kernel that creates no tasks; without a name.
template <class K>
kernel_code code_of_task() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &run_task_on_gpu<K>;
#endif
  code.host_function = &run_task_on_cores<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

/// The same, for a kernel that is in no set; null if the calling file, of which `Here` is
/// BALLAST_COMPILES_KERNELS, compiles none.
template <class K, bool Here>
kernel_code const* code_without_a_set() {
  if constexpr (Here) {
    static std::string const name = type_name<K>();
    static kernel_code const code = [] {
      auto own = code_of_task<K>();
      own.name = name;
      return own;
    }();
    return &code;
  }
  return nullptr;
}

template <class K>
listed_kernel list_kernel() {
  return {.key = key_of<K>,
          .name = type_name<K>(),
          .code = code_of_task<K>(),
          .bytes = sizeof(K),
          .argument_bytes = sizeof(task_of_kernel<K>),
          .by_reference = is_by_reference<K>,
          .needs_occupancy = needs_occupancy<K>};
}

}  // namespace ballast::detail
