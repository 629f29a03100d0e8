// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/detail/resident/worker_loop.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::detail {

/// An ordinary launch of a task: block i of the grid is block range.first + i of the kernel.
template <class K>
void launch_on_host(void const* argument, host_block_context& context) {
  auto const& record = *static_cast<task_record const*>(argument);
  alignas(K) unsigned char bytes[sizeof(K)];
  __builtin_memcpy(bytes, record.data, sizeof(K));
  host_block<K> block(record.range(), context.place());
  block.move_to(record.range().first + context.block);
  reinterpret_cast<K const&>(bytes)(block);
}

#if defined(__CUDACC__)
template <class K, class Scratch = launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads, clamped_launch_bound<K::threads, launch_bound_blocks<K>>)
    launch_on_gpu(task_record record) {
  alignas(K) unsigned char bytes[sizeof(K)];
  __builtin_memcpy(bytes, record.data, sizeof(K));
  cuda_block<K> block(record.range(), nullptr);
  block.move_to(record.range().first + blockIdx.x);
  reinterpret_cast<K const&>(bytes)(block);
}
#endif

template <class K>
listed_kernel make_listed() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&launch_on_gpu<K>);
#endif
  code.host_function = &launch_on_host<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return {key_of<K>, type_name<K>(), code};
}

template <class List, class Source>
resident_entry make_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&work_on_gpu<List, Source>);
#endif
  code.host_function = &work_on_host<List, Source>;
  code.threads = List::threads;
  code.scratch_bytes = List::scratch;
  return {source_key_of<Source>, code};
}

/// Compiles a list for the given sources; for .cu files, through the rooms' BALLAST_KERNELS.
template <class... Source>
struct compile_for {
  template <kernel_form... K>
  static compiled_kernels list(std::string name) {
    return {std::move(name), {make_listed<K>()...}, {make_entry<kernel_list<K...>, Source>()...}};
  }
};

}  // namespace ballast::detail
