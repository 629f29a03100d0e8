// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "ballast/detail/resident/task_record.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The kernels that one resident kernel can run: a closed list of types with equal `threads`. A kernel's id
/// is its place in the list. Instantiated in one .cu file by BALLAST_KERNELS. A list costs what its heaviest
/// kernel costs.
template <kernel_form... K>
struct kernel_list {
  static_assert(sizeof...(K) >= 1 && sizeof...(K) < task_record::halt,
                "a list holds 1 to 126 kernels: split it");

  static constexpr std::uint32_t threads = std::max({std::uint32_t(K::threads)...});
  static_assert(((std::uint32_t(K::threads) == threads) && ...),
                "the kernels of a list have equal threads: make a list for each number of threads");
  static_assert(threads % 32 == 0,
                "kernels of one thread are for task pools: list them in BALLAST_POOL_KERNELS");
  static_assert(!(declares_spawns<K> || ...),
                "kernels that create tasks are for BALLAST_SPAWNING_KERNELS and BALLAST_POOL_KERNELS");

  /// Of a block, whichever kernel it runs.
  static constexpr std::uint32_t scratch = std::max({scratch_bytes<K>...});

  /// Of the resident kernel, per SM: what its most demanding kernel wants.
  static constexpr int blocks_per_multiprocessor = launch_bound_blocks<K...>;
  static constexpr int blocks_with_server = capped_launch_bound_blocks<threads, K...>;

  /// Runs the task, or each that a grid task stands for, on the calling block of threads, with Block<K> as
  /// the view each kernel gets.
  template <template <class> class Block>
  BALLAST_HD static void run(task_record const& record, void* scratch_memory) {
    std::uint32_t id = 0;
    (void)((record.kernel() == id++ ? (run_one<Block, K>(record, scratch_memory), true) : false) || ...);
  }

  template <template <class> class Block, class One>
  BALLAST_HD static void run_one(task_record const& record, void* scratch_memory) {
    alignas(One) unsigned char bytes[sizeof(One)];
    __builtin_memcpy(bytes, record.data, sizeof(One));
    auto const range = record.range();
    std::uint32_t const of_a_task = record.is_grid() ? 1 : range.count;
    for (std::uint32_t i = 0; i < range.count; i += of_a_task)
      run_blocks<Block>(reinterpret_cast<One const&>(bytes), {range.first + i, of_a_task}, scratch_memory);
  }
};

}  // namespace ballast::detail
