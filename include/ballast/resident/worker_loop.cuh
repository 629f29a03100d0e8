// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ballast/resident/control.cuh"
#include "ballast/resident/crew.cuh"
#include "ballast/resident/kernel_list.cuh"

namespace ballast::inline resident {

// A Source is where tasks come from. It is trivially copyable, travels as the resident kernel's only
// argument, and has
//   control        its resident_control
//   next(crew)     waits for a task and puts it into crew.record(); false: the worker ends
//   finish(crew, begin_ns, end_ns)   the task in crew.record() was executed by all threads of the crew
//   times_tasks()  whether finish() wants the times (they cost two clock reads a task)
//   serving_state, serve(crew, state)   GPU only: what block 0 does instead of working, until all is over; a
//                                       source that has neither has no server, and all blocks work. Not
//                                       inlined, it leaves the workers' registers to the tasks

template <class Source>
concept has_server = requires {
  typename Source::serving_state;
};

/// Counts a host thread among those inside the worker loop, also when a task throws.
class host_block_count {
 public:
  explicit host_block_count(std::uint32_t& blocks) : blocks_(blocks) { blocks_.fetch_add(1); }
  ~host_block_count() { blocks_.fetch_sub(1); }
  host_block_count(host_block_count const&) = delete;
  host_block_count& operator=(host_block_count const&) = delete;

 private:
  std::atomic_ref<std::uint32_t> blocks_;
};

/// One host thread takes tasks until its source ends. What the tasks throw passes through.
template <class List, class Source>
void work_on_host(void const* argument, host_lane& lane) {
  Source source = *static_cast<Source const*>(argument);
  host_block_count const counted(*source.control.host_blocks);
  solo_crew crew(lane);
  source.control.arrive(crew, crew.now_ns());
  while (source.next(crew)) {
    auto const begin = crew.now_ns();
    List::template run<host_block>(crew.record(), crew.scratch());
    crew.pace().worked(std::chrono::nanoseconds(crew.now_ns() - begin));
    source.finish(crew, begin, crew.now_ns());
  }
}

#if defined(__CUDACC__)
/// A block serves or works.
template <class Tasks, class Source>
union block_memory {
  Tasks tasks;
};
template <class Tasks, has_server Source>
union block_memory<Tasks, Source> {
  Tasks tasks;
  typename Source::serving_state serving;
};

/// A source whose workers keep nothing in it is not copied: what is not inlined can then refer to it.
template <class Source, class Crew>
concept is_stateless = requires(Source const source, Crew crew) {
  source.next(crew);
};

template <class List, class Source, class Crew>
__device__ void work(Source& source, Crew& crew) {
  while (source.next(crew)) {
    auto const begin = source.times_tasks() ? crew.now_ns() : 0;
    List::template run<cuda_block>(crew.record(), crew.scratch());
    source.finish(crew, begin, source.times_tasks() ? crew.now_ns() : 0);
  }
}

template <class List, class Source>
constexpr int blocks_of = has_server<Source> ? List::blocks_beside_server : List::blocks_per_multiprocessor;

/// The resident kernel: every block takes tasks until its source ends, or block 0 serves the others.
template <class List, class Source, class Scratch = launched_with<List::scratch>>
__global__ void __launch_bounds__(List::threads, fitting_blocks<List::threads, blocks_of<List, Source>>)
    work_on_gpu(__grid_constant__ Source const given) {
  using crew_type = cuda_crew<List::threads>;
  __shared__ typename crew_type::words words;
  __shared__ block_memory<typename crew_type::storage, Source> memory;
  crew_type crew(memory.tasks, words);
  given.control.arrive(crew, crew.now_ns());
  if constexpr (has_server<Source>) {
    if (blockIdx.x == 0) {
      given.serve(crew, memory.serving);
      return;
    }
  }
  crew.forget_tasks();
  if constexpr (is_stateless<Source, crew_type>) {
    work<List>(given, crew);
  } else {
    Source own = given;
    work<List>(own, crew);
  }
}
#endif

}  // namespace ballast::inline resident
