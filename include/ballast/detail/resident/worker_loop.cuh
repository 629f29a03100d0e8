// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/task_record.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The kernels that one resident kernel can run: a closed list of types with equal `threads`. A kernel's id
/// is its index in the set. Instantiated in one .cu file by BALLAST_KERNELS. A set costs what its heaviest
/// kernel costs.
template <kernel_form... K>
struct kernel_list {
  static_assert(sizeof...(K) >= 1 && sizeof...(K) < task_record::halt,
                "a set holds 1 to 126 kernels: split it");

  static constexpr std::uint32_t threads = max_of({std::uint32_t(K::threads)...});
  static_assert(((std::uint32_t(K::threads) == threads) && ...),
                "the kernels of a set have equal threads: make a set for each number of threads");
  static_assert(!(is_for_pools<K> || ...),
                "kernels of one thread, and those that create tasks or reduce, are for pools");

  /// Scratch of a block, for any of the kernels.
  static constexpr std::uint32_t scratch =
      max_of({scratch_bytes<K>..., staged_at<K...> + staged_bytes<K...>});

  /// Blocks of the resident kernel per SM: the requirement of its most demanding kernel.
  static constexpr int blocks_per_multiprocessor = launch_bound_blocks<K...>;
  static constexpr int blocks_with_server = capped_launch_bound_blocks<threads, K...>;

  /// Runs the task, or each task of a grid task, on the calling block of threads; each kernel gets a
  /// Block<K>. `wait` as in run_blocks().
  template <template <class> class Block, class Place, class Wait = no_wait>
  BALLAST_HD static bool run(task_record const& record, Place place, Wait const& wait = {}) {
    std::uint32_t id = 0;
    bool ran = true;
    (void)((record.kernel() == id++ ? (ran = run_one<Block, K>(record, place, wait), true) : false) || ...);
    return ran;
  }

  template <template <class> class Block, class One, class Place, class Wait>
  BALLAST_HD static bool run_one(task_record const& record, Place place, Wait const& wait) {
    if constexpr (is_by_reference<One>) {
      bool ran = false;
      call_with_members<One>(record, staged_at<K...>, [&](One const& kernel) {
        ran = run_kernel<Block>(kernel, record, place, wait);
      });
      return ran;
    } else {
      alignas(One) unsigned char bytes[sizeof(One)];
      __builtin_memcpy(bytes, record.data, sizeof(One));
      return run_kernel<Block>(reinterpret_cast<One const&>(bytes), record, place, wait);
    }
  }

  template <template <class> class Block, class One, class Place, class Wait>
  BALLAST_HD static bool run_kernel(One const& kernel, task_record const& record, Place place,
                                    Wait const& wait) {
    auto const range = record.range();
    std::uint32_t const of_a_task = record.is_grid() ? 1 : range.count;
    for (std::uint32_t i = 0; i < range.count; i += of_a_task)
      if (!run_blocks<Block>(kernel, {range.first + i, of_a_task}, place, wait)) return false;
    return true;
  }
};

/// True if kernels that create no tasks fit into a kernel_list.
template <class... K>
constexpr bool fit_into_tasks = sizeof...(K) < task_record::halt &&
                                ((K::threads == max_of({int(K::threads)...})) && ...);

// A Source provides tasks. It is trivially copyable, travels as the resident kernel's only argument, and has
//   control: its resident_control.
//   next(worker_group): waits for a task and puts it into worker_group.record(); false: the worker ends.
//   finish(worker_group, begin_ns, end_ns): all threads of the worker group have executed the task in
//     worker_group.record().
//   place_of_task(worker_group): optional, host only, what follows the block if the worker's task throws.
//   times_tasks(): whether finish() needs the times, which cost two clock reads a task.
//   comes_early(worker_group), await_prepared(worker_group): optional, whether the task came before what it
//     waits for, and the wait for that, after the task's prepare(). All threads call both. The wait returns
//     false: the worker ends.
//   serving_state, serve(worker_group, state): GPU only, the work of block 0 until all is over. A source that
//     has neither has no server, and all blocks work.

template <class Source>
concept has_server = requires {
  typename Source::serving_state;
};

/// Runs the task in the worker's record; false: the worker ends. A task that was prepared and then waited
/// begins after the wait.
template <class List, template <class> class Block, class Source, class WorkerGroup>
BALLAST_HD bool run_task(Source const& source, WorkerGroup& worker_group, bool reads_clock,
                         std::uint64_t& begin) {
  if constexpr (requires { source.await_prepared(worker_group); }) {
    return List::template run<Block>(worker_group.record(), worker_group.place(), [&] {
      if (!source.comes_early(worker_group)) return true;
      bool const goes_on = source.await_prepared(worker_group);
      begin = reads_clock ? worker_group.now_ns() : 0;
      return goes_on;
    });
  } else {
    List::template run<Block>(worker_group.record(), worker_group.place());
    return true;
  }
}

/// Counts a host thread as inside the worker loop, also when a task throws.
class host_block_count {
 public:
  explicit host_block_count(std::uint32_t& blocks) : blocks_(blocks) { blocks_.fetch_add(1); }
  ~host_block_count() { blocks_.fetch_sub(1); }
  host_block_count& operator=(host_block_count&&) = delete;

 private:
  std::atomic_ref<std::uint32_t> blocks_;
};

/// run_task(); if the task throws, the source may say which task it was.
template <class List, class Source>
bool run_on_host(Source const& source, host_worker& worker_group, bool reads_clock, std::uint64_t& begin) {
  try {
    return run_task<List, host_block>(source, worker_group, reads_clock, begin);
  } catch (kernel_exception const& failure) {
    if constexpr (requires { source.place_of_task(worker_group); })
      throw kernel_exception(failure.kernel(), failure.place() + source.place_of_task(worker_group),
                             failure.what());
    throw;
  }
}

/// Takes and runs tasks, on one host thread, until the source ends. Exceptions of tasks pass through.
template <class List, class Source>
void work_on_host(void const* argument, host_block_context& context) {
  Source source = *static_cast<Source const*>(argument);
  host_block_count const counted(*source.control.host_blocks);
  host_worker worker_group(context);
  source.control.arrive(worker_group, worker_group.now_ns());
  bool const reads_clock = source.times_tasks() || worker_group.pace().is_needed();
  auto const now_ns = [&] { return reads_clock ? worker_group.now_ns() : 0; };
  while (source.next(worker_group)) {
    auto begin = now_ns();
    if (!run_on_host<List>(source, worker_group, reads_clock, begin)) return;
    worker_group.pace().worked(now_ns() - begin);
    source.finish(worker_group, begin, now_ns());
  }
}

#if defined(__CUDACC__)
/// The shared memory of a block, which either serves or works.
template <class Tasks, class Source>
union block_memory {
  Tasks tasks;
};
template <class Tasks, has_server Source>
union block_memory<Tasks, Source> {
  Tasks tasks;
  typename Source::serving_state serving;
};

/// True for a source in which workers keep no state. Such a source is not copied, so that functions that are
/// not inlined can refer to it.
template <class Source, class WorkerGroup>
concept is_stateless = requires(Source const source, WorkerGroup worker_group) {
  source.next(worker_group);
};

template <class List, class Source, class WorkerGroup>
__device__ void take_tasks(Source& source, WorkerGroup& worker_group) {
  using blocks = behind_servers<has_server<Source> - WorkerGroup::first>;
  bool const reads_clock = source.times_tasks();
  auto const now_ns = [&] { return reads_clock ? worker_group.now_ns() : 0; };
  while (source.next(worker_group)) {
    auto begin = now_ns();
    if (!run_task<List, blocks::template block>(source, worker_group, reads_clock, begin)) return;
    source.finish(worker_group, begin, now_ns());
  }
}

template <class List, class Source, class WorkerGroup>
__device__ void work(Source const& given, WorkerGroup& worker_group) {
  worker_group.reset_tasks();
  if constexpr (is_stateless<Source, WorkerGroup>) {
    take_tasks<List>(given, worker_group);
  } else {
    Source own = given;
    take_tasks<List>(own, worker_group);
  }
}

/// Serves in a block of the workers' kernel. Not inlined, so that the tasks get the registers of that kernel.
template <class Source, class WorkerGroup, class State>
__device__ BALLAST_NOINLINE void serve_beside_workers(Source const& source, WorkerGroup worker_group,
                                                      State& state) {
  source.serve(worker_group, state);
}

template <class List, class Source>
constexpr int launch_bound_of =
    has_server<Source> ? List::blocks_with_server : List::blocks_per_multiprocessor;

/// The resident kernel: every block takes tasks until its source ends, or block 0 serves the others.
template <class List, class Source, class Scratch = launched_with<List::scratch>>
__global__ void __launch_bounds__(List::threads,
                                  clamped_launch_bound<List::threads, launch_bound_of<List, Source>>)
    work_on_gpu(__grid_constant__ Source const given) {
  using worker_group_type = cuda_worker<List::threads>;
  __shared__ typename worker_group_type::words words;
  __shared__ block_memory<typename worker_group_type::storage, Source> memory;
  worker_group_type worker_group(memory.tasks, words);
  given.control.arrive(worker_group, worker_group.now_ns());
  if constexpr (has_server<Source>) {
    if (blockIdx.x == 0) {
      serve_beside_workers(given, worker_group, memory.serving);
      return;
    }
  }
  work<List>(given, worker_group);
}

/// The workers of a source whose server has a kernel of its own.
template <class List, class Source, class Scratch = launched_with<List::scratch>>
__global__ void __launch_bounds__(List::threads,
                                  clamped_launch_bound<List::threads, List::blocks_with_server>)
    work_beside_server_on_gpu(__grid_constant__ Source const given) {
  using worker_group_type = cuda_worker<List::threads, 1>;
  __shared__ typename worker_group_type::words words;
  __shared__ typename worker_group_type::storage tasks;
  worker_group_type worker_group(tasks, words);
  given.control.arrive(worker_group, worker_group.now_ns());
  work<List>(given, worker_group);
}

/// The server of a source, as a kernel of its own: one block, or several that share the work. Contains no
/// kernel of the set.
template <class Source>
__global__ void __launch_bounds__(lone_server_threads, 1) serve_on_gpu(__grid_constant__ Source const given) {
  __shared__ typename lone_server::words words;
  __shared__ union {
    typename lone_server::storage none;
    typename Source::serving_state serving;
  } memory;
  lone_server const worker_group(memory.none, words);
  given.control.arrive_as_server(worker_group, worker_group.now_ns());
  given.serve(worker_group, memory.serving);
}

/// Turns the workers' code into their server's.
inline void become_server(kernel_code& code, gpu_function function) {
  code.cuda_function = function;
  code.threads = lone_server_threads;
  code.scratch_bytes = 0;
}
#endif

/// The resident kernel that runs the kernels of a set for a type of source.
template <class List, class Source>
kernel_entry make_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &work_on_gpu<List, Source>;
#endif
  code.host_function = &work_on_host<List, Source>;
  code.threads = List::threads;
  code.scratch_bytes = List::scratch;
  kernel_entry entry{entry_key_of<Source>, code};
#if defined(__CUDACC__)
  if constexpr (has_server<Source> && gains_by_lone_server<List::threads>) {
    entry.workers = entry.server = code;
    entry.workers.cuda_function = &work_beside_server_on_gpu<List, Source>;
    become_server(entry.server, &serve_on_gpu<Source>);
  }
#endif
  return entry;
}

}  // namespace ballast::detail
