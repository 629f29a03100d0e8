// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/pool_list.cuh"
#include "ballast/detail/pool/pool_worker.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The words of a level; all bits zero at its start.
struct level_words {
  alignas(128) std::uint32_t tail;  ///< tasks created
  std::uint64_t further_blocks;     ///< blocks of these tasks beyond the first of each
  std::uint32_t halt;               ///< pool_halt, if a kernel broke a rule
  pool_reduction reduced;
};

/// Method `static`: the static task list of Mohan and Gopalan 2014, section 2.1. One array holds the tasks of
/// a level of the tree, and every block of the grid runs an equal part of it. New tasks go into the other
/// array, at places that fetch-and-add assigns. Then the arrays swap roles and the kernel is launched again,
/// until no task is created.
struct level_work {
  stored_task const* in = nullptr;
  stored_task* out = nullptr;
  level_words* words = nullptr;
  std::uint32_t tasks = 0;  ///< the number of tasks in `in`
  std::uint32_t room = 0;   ///< the capacity of `out`; the host has made it large enough for the children
                            ///< that kernels declare
  join_arena joins;         ///< also large enough; records are used once in a run

  /// The first task of block `block` of `blocks`.
  BALLAST_HD std::uint32_t first_of(std::uint32_t block, std::uint32_t blocks) const {
    return std::uint32_t(std::uint64_t(tasks) * block / blocks);
  }
};

/// The destination of the children of a level's tasks.
class level_sink {
 public:
  /// `reduced` belongs to the calling thread.
  BALLAST_HD level_sink(level_work const& level, pool_reduction& reduced)
      : level_(level), reduced_(reduced) {}

  BALLAST_HD void add(stored_task const& task) const {
    std::uint32_t const place = device_atomic<std::uint32_t>(level_.words->tail).add_relaxed(1);
    if (place < level_.room) array_ref<stored_task>(level_.out)[place] = task;
    if (task.record.range().count > 1)
      device_atomic<std::uint64_t>(level_.words->further_blocks).add_relaxed(task.record.range().count - 1);
  }

  BALLAST_HD join_arena const& joins() const { return level_.joins; }
  BALLAST_HD join_handle new_join() const {
    std::uint32_t record = 0;
    if (level_.joins.fresh(1, record) == 1) return {record + 1};
    refuse(pool_halt::too_many_joins);
    return {};
  }
  BALLAST_HD void refuse(pool_halt reason) const {
    device_atomic<std::uint32_t>(level_.words->halt).store_relaxed(std::uint32_t(reason));
  }
  BALLAST_HD void end_join(join_handle) const {}
  BALLAST_HD void add_to_sum(std::uint64_t value) const { reduced_.sum += value; }
  BALLAST_HD void raise_max(std::uint64_t value) const {
    if (reduced_.max < value) reduced_.max = value;
  }

 private:
  level_work const& level_;
  pool_reduction& reduced_;
};

/// Runs all blocks of a task; `place` is the argument of a Base's constructor.
template <class List, template <class> class Base, class Place>
BALLAST_HD void run_in_level(level_work const& level, std::uint32_t number, Place place,
                             pool_reduction& reduced) {
  task_record task = array_ref<stored_task const>(level.in)[number].record;
  auto const range = task.range();
  for (std::uint32_t i = 0; i < range.count; ++i) {
    task.describe({range.first + i, range.count - i}, task.kernel());
    List::template run_first_block<Base>(task, place, level_sink(level, reduced));
#if BALLAST_ON_GPU
    if constexpr (!List::by_threads) __syncthreads();
#endif
  }
}

template <class List>
void run_level_on_host(void const* argument, host_block_context& context) {
  auto const level = *static_cast<level_work const*>(argument);
  pool_reduction reduced{};
  for (auto i = level.first_of(context.block, context.grid);
       i < level.first_of(context.block + 1, context.grid); ++i)
    run_in_level<List, host_block>(level, i, context.place(), reduced);
  level.words->reduced.add_shared(reduced);
}

#if defined(__CUDACC__)
template <class List, class Scratch = launched_with<List::scratch * List::max_taken>>
__global__ void __launch_bounds__(List::block_threads,
                                  clamped_launch_bound<List::block_threads, List::blocks_per_multiprocessor>)
    run_level_on_gpu(__grid_constant__ level_work const level) {
  using blocks = behind_servers<0>;
  extern __shared__ __align__(128) unsigned char ballast_scratch[];
  std::uint32_t const first = level.first_of(blockIdx.x, gridDim.x);
  std::uint32_t const last = level.first_of(blockIdx.x + 1, gridDim.x);
  pool_reduction reduced{};
  if constexpr (List::by_threads) {
    for (std::uint32_t i = first + threadIdx.x; i < last; i += 32)
      run_in_level<List, blocks::template lane>(level, i, ballast_scratch + threadIdx.x * List::scratch,
                                                reduced);
  } else {
    for (std::uint32_t i = first; i < last; ++i)
      run_in_level<List, blocks::template block>(level, i, static_cast<void*>(nullptr), reduced);
  }
  level.words->reduced.add_shared(reduced);
}
#endif

}  // namespace ballast::detail
