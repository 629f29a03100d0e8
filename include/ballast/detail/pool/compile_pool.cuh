// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ballast/detail/device/compile_kernels.cuh"
#include "ballast/detail/pool/bands.cuh"
#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/launch_epilogue.cuh"
#include "ballast/detail/pool/pool_loop.cuh"
#include "ballast/detail/resident/shown_task.cuh"
#include "ballast/detail/resident/worker_loop.cuh"

namespace ballast::detail {

/// Runs the worker's task; if it throws, the view may say of what it was a part.
template <class List, class View, class Sink>
void run_in_pool_on_host(View const& view, typename View::worker_type const& me, host_worker& worker_group,
                         Sink const& sink) {
  try {
    List::template run_first_block<host_block>(worker_group.record(), worker_group.place(), sink);
  } catch (kernel_exception const& failure) {
    if constexpr (requires { view.place_of_task(me); })
      throw kernel_exception(failure.kernel(), failure.place() + view.place_of_task(me), failure.what());
    throw;
  }
}

/// Makes one host thread a worker. Exceptions of tasks pass through.
template <class List, class Method, class View = pool_view>
void work_in_pool_on_host(void const* argument, host_block_context& context) {
  auto const work = *static_cast<pool_work<Method, View> const*>(argument);
  host_block_count const counted(*work.control.host_blocks);
  host_worker worker_group(context);
  typename View::worker_type me = {};  // its counts are shown before it begins
  pool_loop<List, Method, View> const loop(work, me, context.block);
  work.control.arrive(worker_group, worker_group.now_ns());
  shown_worker const shown(work.control.activity_of(context.block), worker_group.record(), me.counts.run,
                           me.counts.created);
  loop.begin(worker_group, context.block);
  bool const is_paced = worker_group.pace().is_needed();
  for (worker_step step; (step = loop.next(worker_group)) != worker_step::leave;) {
    if (step != worker_step::run) {
      loop.act(worker_group, step);
      continue;
    }
    auto const begin = is_paced ? worker_group.now_ns() : 0;
    run_in_pool_on_host<List>(work.view, me, worker_group, loop.sink());
    if (is_paced) worker_group.pace().worked(worker_group.now_ns() - begin);
    loop.count_completed(worker_group);
  }
  loop.end(worker_group);
}

#if defined(__CUDACC__)
/// Each lane of a warp runs one task; each kernel gets a Block<K>.
template <class List, template <class> class Block, class Loop>
__device__ void run_many(Loop const& loop) {
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  stored_task mine;
  if (threadIdx.x < loop.take_many(mine))
    List::template run_first_block<Block>(mine.record, ballast_scratch + threadIdx.x * List::scratch,
                                          loop.sink());
}

/// A worker's shared memory.
template <class WorkerGroup, class View>
struct pool_worker_memory {
  typename WorkerGroup::storage tasks;
  typename View::worker_type worker;
};

/// Makes a block of threads a worker; where each thread is a worker, the warp works for its threads.
template <class List, class Method, class View, class WorkerGroup>
__device__ void work_in_pool(pool_work<Method, View> const& work, typename View::worker_type& me,
                             WorkerGroup worker_group) {
  using blocks = behind_servers<View::servers - WorkerGroup::first>;
  worker_group.reset_tasks();
  pool_loop<List, Method, View> const loop(work, me, worker_group.block());
  loop.begin(worker_group, worker_group.block());
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

/// The resident kernel of a pool on a GPU. Its blocks do not report their arrival: nothing waits for the
/// reports, and each would be a write over PCIe.
template <class List, class Method, class View = pool_view,
          class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_pool_on_gpu(__grid_constant__ pool_work<Method, View> const work) {
  using worker_group_type = cuda_worker<List::block_threads>;
  __shared__ typename worker_group_type::words words;
  __shared__ pool_worker_memory<worker_group_type, View> memory;
  worker_group_type const worker_group(memory.tasks, words);
  work_in_pool<List>(work, memory.worker, worker_group);
}
#endif

/// The sink of an ordinary launch. Stores nothing: a kernel that declares no children creates none, and a
/// kernel that reduces is not launched.
struct no_sink {
  BALLAST_HD void add(stored_task const&) const {}
  BALLAST_HD void refuse(pool_halt) const {}
  BALLAST_HD join_arena joins() const { return {}; }
  BALLAST_HD join_handle new_join() const { return {}; }
  BALLAST_HD void end_join(join_handle) const {}
  BALLAST_HD void add_to_sum(std::uint64_t) const {}
  BALLAST_HD void raise_max(std::uint64_t) const {}
};

/// An ordinary launch, which refuses kernels that create tasks.
template <class List, class K>
void launch_task_on_host(void const* argument, host_block_context& context) {
  auto const& task = *static_cast<task_of_kernel<K> const*>(argument);
  spawning_block<host_block<K>, K, List, no_sink> block(task.range, context.place(), no_sink());
  block.move_to(task.range.first + context.block);
  invoke_kernel(task.kernel, block);
}

#if defined(__CUDACC__)
template <class List, class K, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, launch_bound_blocks<K>>)
    launch_task_on_gpu(__grid_constant__ task_of_kernel<K> const task) {
  let_next_launch_begin();
  await_previous_launch();
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  using base = std::conditional_t<List::by_threads, lone_lane<K>, cuda_block<K>>;
  if (List::by_threads && threadIdx.x != 0) return;
  spawning_block<base, K, List, no_sink> block(task.range, static_cast<void*>(ballast_scratch), no_sink());
  block.move_to(task.range.first + blockIdx.x);
  invoke_kernel(task.kernel, block);
}
#endif

template <class K>
std::uint32_t order_key_on_host(std::uint32_t const* words) {
  task_record task{};
  __builtin_memcpy(task.data, words, task_record::argument_bytes);
  return order_key_in<K>(task);
}

template <class List, class K>
listed_kernel list_pool_kernel() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &launch_task_on_gpu<List, K>;
#endif
  code.host_function = &launch_task_on_host<List, K>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {.key = key_of<K>,
          .name = type_name<K>(),
          .code = code,
          .bytes = sizeof(K),
          .argument_bytes = sizeof(task_of_kernel<K>),
          .by_reference = is_by_reference<K>,
          .spawns = spawns_of<K>,
          .joins = joins_of<K>,
          .tasks_at_once = List::max_taken,
          .reduces = reduces_of<K>,
          .travel = travel_of<K>(),
          .repeatable = is_repeatable<K>,
          .order_key = has_order_key<K> ? &order_key_on_host<K> : nullptr};
}

/// Makes the entry of a pool's resident kernel. The entry's key is the method or, if the view is not
/// pool_view, the view.
template <class List, class Method, class View = pool_view>
kernel_entry make_pool_entry() {
  using key = std::conditional_t<std::is_same_v<View, pool_view>, Method, View>;
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &work_in_pool_on_gpu<List, Method, View>;
#endif
  code.host_function = &work_in_pool_on_host<List, Method, View>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {entry_key_of<key>, code};
}

}  // namespace ballast::detail

namespace ballast {

/// Listed among the kernels of BALLAST_KERNELS, compiles these kernels for task pools of the default methods:
/// `chunks`, and `bands` where a kernel has an order_key(). The kernels must have equal `threads`. Roots of
/// kernels over 40 bytes go by reference (listed_kernel::by_reference); to create such a task, list and spawn
/// indirect<K>.
struct for_pools {
  /// Shows BALLAST_KERNELS that this is no kernel, and that tasks of the set may create tasks.
  static constexpr bool keeps_tasks = true;
  /// For BALLAST_KERNELS.
  template <bool, class... K>
  static void compile(detail::compiled_code& into) {
    using list = detail::pool_list<K...>;
    into.kernels = {detail::list_pool_kernel<list, K>()...};
    into.entries.push_back(detail::make_pool_entry<list, detail::chunks_ref>());
    if constexpr ((detail::has_order_key<K> || ...))
      into.entries.push_back(detail::make_pool_entry<list, detail::bands_ref>());
    into.entries.push_back(detail::make_epilogue_entry());
  }
};

}  // namespace ballast
