// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "ballast/pool/pool_loop.cuh"
#include "ballast/resident/worker_loop.cuh"

namespace ballast::inline pool {

/// One host thread is a worker. What the tasks throw passes through.
template <class List, class Method, class View = pool_view>
void work_in_pool_on_host(void const* argument, host_lane& lane) {
  auto const work = *static_cast<pool_work<Method, View> const*>(argument);
  host_block_count const counted(*work.control.host_blocks);
  solo_crew crew(lane);
  typename View::worker_type me;
  pool_loop<List, Method, View> const loop(work, me, lane.block);
  work.control.arrive(crew, crew.now_ns());
  loop.begin(crew, lane.block);
  bool const is_paced = crew.pace().is_needed();
  for (worker_step step; (step = loop.next(crew)) != worker_step::leave;) {
    if (step != worker_step::run) {
      loop.act(crew, step);
      continue;
    }
    auto const begin = is_paced ? crew.now_ns() : 0;
    List::template run_first_block<host_block>(crew.record(), crew.scratch(), loop.sink());
    if (is_paced) crew.pace().worked(std::chrono::nanoseconds(crew.now_ns() - begin));
    loop.book(crew);
  }
  loop.end(crew);
}

#if defined(__CUDACC__)
/// Each lane of a warp runs one task.
template <class List, class Loop>
__device__ void run_many(Loop const& loop) {
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  stored_task mine;
  if (threadIdx.x < loop.take_many(mine))
    List::template run_first_block<host_block>(mine.record, ballast_scratch + threadIdx.x * List::scratch,
                                               loop.sink());
}

/// What a worker has in shared memory.
template <class Crew, class View>
struct pool_worker_memory {
  typename Crew::storage tasks;
  typename View::worker_type worker;
};

/// A block of threads is a worker; where each thread is one, the warp works for its threads.
template <class List, class Method, class View, class Crew>
__device__ void work_in_pool(pool_work<Method, View> const& work, typename View::worker_type& me, Crew crew) {
  crew.forget_tasks();
  pool_loop<List, Method, View> const loop(work, me, blockIdx.x);
  loop.begin(crew, blockIdx.x);
  for (worker_step step; (step = loop.next(crew)) != worker_step::leave;) {
    if (step != worker_step::run) {
      loop.act(crew, step);
      continue;
    }
    if constexpr (List::by_threads)
      run_many<List>(loop);
    else
      List::template run_first_block<cuda_block>(crew.record(), crew.scratch(), loop.sink());
    crew.sync();
    loop.book(crew);
  }
  loop.end(crew);
}

/// Its blocks do not say that they arrive: nobody waits for that, and it is a write over PCIe for each.
template <class List, class Method, class Scratch = launched_with<List::scratch * List::most_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  fitting_blocks<List::block_threads, List::blocks_per_multiprocessor>)
    work_in_pool_on_gpu(__grid_constant__ pool_work<Method> const work) {
  using crew_type = cuda_crew<List::block_threads>;
  __shared__ typename crew_type::words words;
  __shared__ pool_worker_memory<crew_type, pool_view> memory;
  crew_type const crew(memory.tasks, words);
  work_in_pool<List>(work, memory.worker, crew);
}
#endif

}  // namespace ballast::inline pool
