// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/pool/compile_pool.cuh"
#include "ballast/detail/queue/hybrid_view.cuh"
#include "ballast/detail/queue/ring_consumer.cuh"
#include "ballast/detail/queue/ring_server.cuh"
#include "ballast/detail/resident/worker_loop.cuh"

namespace ballast::detail {

#if defined(__CUDACC__)
/// Block 0 serves; the other blocks work.
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
    serve_beside_workers(work, worker_group, memory.serving);
  else
    work_in_pool<List>(work, memory.tasks.worker, worker_group);
}

template <class List, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_hybrid_pool_beside_server_on_gpu(__grid_constant__ hybrid_work const work) {
  using worker_group_type = cuda_worker<List::block_threads, 1>;
  __shared__ typename worker_group_type::words words;
  __shared__ pool_worker_memory<worker_group_type, hybrid_view> memory;
  worker_group_type const worker_group(memory.tasks, words);
  work.control.arrive(worker_group, worker_group.now_ns());
  work_in_pool<List>(work, memory.worker, worker_group);
}
#endif

template <class List>
kernel_entry make_hybrid_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &work_in_hybrid_pool_on_gpu<List>;
#endif
  code.host_function = &work_in_pool_on_host<List, chunks_ref, hybrid_view>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  kernel_entry entry{entry_key_of<hybrid_view>, code};
#if defined(__CUDACC__)
  if constexpr (gains_by_lone_server<List::block_threads>) {
    entry.workers = entry.server = code;
    entry.workers.cuda_function = &work_in_hybrid_pool_beside_server_on_gpu<List>;
    become_server(entry.server, &serve_on_gpu<hybrid_work>);
  }
#endif
  return entry;
}

}  // namespace ballast::detail

namespace ballast {

/// Listed among the kernels of BALLAST_KERNELS, compiles these kernels for task queues. The kernels must have
/// equal `threads`. Kernels over 40 bytes go by reference (listed_kernel::by_reference). Tasks may create
/// tasks if any kernel declares it, or if the set is for pools too. No kernel may reduce, since a queue has
/// no runs that could report values.
struct for_queues {
  /// Shows BALLAST_KERNELS that this is no kernel.
  static constexpr bool keeps_tasks = false;
  /// For BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code& into) {
    if constexpr (KeepsTasks) {
      static_assert(!(detail::reduces_of<K> || ...), "kernels that reduce are for pools, not for queues");
      using list = detail::pool_list<K...>;
      into.kernels = {detail::list_pool_kernel<list, K>()...};
      into.entries.push_back(detail::make_hybrid_entry<list>());
    } else {
      into.entries.push_back(detail::make_entry<detail::kernel_list<K...>, detail::ring_source_ref>());
    }
  }
};

}  // namespace ballast
