// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/queue/hybrid_view.cuh"
#include "ballast/detail/queue/ring_server.cuh"
#include "ballast/pool_kernels.cuh"

namespace ballast::detail {

#if defined(__CUDACC__)
/// Block 0 serves; the others work.
template <class List, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_hybrid_pool_on_gpu(__grid_constant__ hybrid_work const work) {
  using worker_group_type = cuda_worker<List::block_threads>;
  __shared__ typename worker_group_type::words words;
  __shared__ block_memory<pool_worker_memory<worker_group_type, hybrid_view>, ring_source_ref> memory;
  worker_group_type const worker_group(memory.tasks.tasks, words);
  work.control.arrive(worker_group, worker_group.now_ns());
  if (blockIdx.x == 0)
    work.view.source.template serve<true>(worker_group, memory.serving);
  else
    work_in_pool<List>(work, memory.tasks.worker, worker_group);
}
#endif

template <class List>
resident_entry make_hybrid_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&work_in_hybrid_pool_on_gpu<List>);
#endif
  code.host_function = &work_in_pool_on_host<List, chunks_ref, hybrid_view>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {source_key_of<hybrid_view>, code};
}

}  // namespace ballast::detail
