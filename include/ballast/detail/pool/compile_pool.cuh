// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/launch_epilogue.cuh"
#include "ballast/detail/pool/pool_loop.cuh"
#include "ballast/detail/resident/compile_kernels.cuh"
#include "ballast/detail/resident/worker_loop.cuh"

namespace ballast::detail {

/// One host thread is a worker. What the tasks throw passes through.
template <class List, class Method, class View = pool_view>
void work_in_pool_on_host(void const* argument, host_block_context& context) {
  auto const work = *static_cast<pool_work<Method, View> const*>(argument);
  host_block_count const counted(*work.control.host_blocks);
  host_worker worker_group(context);
  typename View::worker_type me;
  pool_loop<List, Method, View> const loop(work, me, context.block);
  work.control.arrive(worker_group, worker_group.now_ns());
  loop.begin(worker_group, context.block);
  bool const is_paced = worker_group.pace().is_needed();
  for (worker_step step; (step = loop.next(worker_group)) != worker_step::leave;) {
    if (step != worker_step::run) {
      loop.act(worker_group, step);
      continue;
    }
    auto const begin = is_paced ? worker_group.now_ns() : 0;
    List::template run_first_block<host_block>(worker_group.record(), worker_group.place(), loop.sink());
    if (is_paced) worker_group.pace().worked(std::chrono::nanoseconds(worker_group.now_ns() - begin));
    loop.count_completed(worker_group);
  }
  loop.end(worker_group);
}

#if defined(__CUDACC__)
/// Each lane of a warp runs one task, with Block<K> as the view that each kernel gets.
template <class List, template <class> class Block, class Loop>
__device__ void run_many(Loop const& loop) {
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  stored_task mine;
  if (threadIdx.x < loop.take_many(mine))
    List::template run_first_block<Block>(mine.record, ballast_scratch + threadIdx.x * List::scratch,
                                          loop.sink());
}

/// What a worker has in shared memory.
template <class WorkerGroup, class View>
struct pool_worker_memory {
  typename WorkerGroup::storage tasks;
  typename View::worker_type worker;
};

/// A block of threads is a worker; where each thread is one, the warp works for its threads.
template <class List, class Method, class View, class WorkerGroup>
__device__ void work_in_pool(pool_work<Method, View> const& work, typename View::worker_type& me,
                             WorkerGroup worker_group) {
  using blocks = behind_servers<View::servers>;
  worker_group.reset_tasks();
  pool_loop<List, Method, View> const loop(work, me, blockIdx.x);
  loop.begin(worker_group, blockIdx.x);
  for (worker_step step; (step = loop.next(worker_group)) != worker_step::leave;) {
    if (step != worker_step::run) {
      loop.act(worker_group, step);
      continue;
    }
    if constexpr (List::by_threads)
      run_many<List, blocks::template lane>(loop);
    else
      List::template run_first_block<blocks::template block>(worker_group.record(), worker_group.place(),
                                                             loop.sink());
    worker_group.sync();
    loop.count_completed(worker_group);
  }
  loop.end(worker_group);
}

/// Its blocks do not say that they arrive: nobody waits for that, and it is a write over PCIe for each.
template <class List, class Method, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_pool_on_gpu(__grid_constant__ pool_work<Method> const work) {
  using worker_group_type = cuda_worker<List::block_threads>;
  __shared__ typename worker_group_type::words words;
  __shared__ pool_worker_memory<worker_group_type, pool_view> memory;
  worker_group_type const worker_group(memory.tasks, words);
  work_in_pool<List>(work, memory.worker, worker_group);
}
#endif

/// Keeps nothing: a kernel that declares no children creates none, and one that reduces is not launched.
struct no_sink {
  BALLAST_HD void add(stored_task const&) const {}
  BALLAST_HD void refuse(pool_halt) const {}
  BALLAST_HD join_arena joins() const { return {}; }
  BALLAST_HD join_handle new_join() const { return {}; }
  BALLAST_HD void end_join(join_handle) const {}
  BALLAST_HD void add_to_sum(std::uint64_t) const {}
  BALLAST_HD void raise_max(std::uint64_t) const {}
};

/// An ordinary launch of a task, which compiled_kernels refuses for kernels that create tasks.
template <class List, class K>
void launch_task_on_host(void const* argument, host_block_context& context) {
  auto task = *static_cast<task_record const*>(argument);
  task.describe({task.range().first + context.block, task.range().count}, task.kernel());
  List::template run_one<host_block, K>(task, context.place(), no_sink());
}

#if defined(__CUDACC__)
template <class List, class K, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, launch_bound_blocks<K>>)
    launch_task_on_gpu(task_record task) {
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  task.describe({task.range().first + blockIdx.x, task.range().count}, task.kernel());
  if constexpr (!List::by_threads)
    List::template run_one<cuda_block, K>(task, static_cast<void*>(nullptr), no_sink());
  else if (threadIdx.x == 0)
    List::template run_one<lone_lane, K>(task, ballast_scratch, no_sink());
}
#endif

template <class List, class K>
listed_kernel make_pool_listed() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&launch_task_on_gpu<List, K>);
#endif
  code.host_function = &launch_task_on_host<List, K>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {key_of<K>, type_name<K>(), code, spawns_of<K>, joins_of<K>, List::max_taken, reduces_of<K>};
}

template <class List, class Method>
resident_entry make_pool_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&work_in_pool_on_gpu<List, Method>);
#endif
  code.host_function = &work_in_pool_on_host<List, Method>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {source_key_of<Method>, code};
}

/// Compiles a list for some entries; for .cu files, through the rooms' macros.
template <class List, kernel_form... K>
compiled_kernels compile_pool_list(std::string name, std::vector<resident_entry> entries) {
  entries.push_back(make_epilogue_entry());
  return {std::move(name), {make_pool_listed<List, K>()...}, std::move(entries)};
}

}  // namespace ballast::detail
