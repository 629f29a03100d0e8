// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/device/compile_kernels.cuh"
#include "ballast/detail/launch/kernel_family.cuh"
#include "ballast/detail/launch/ordered_rings.cuh"
#include "ballast/detail/resident/worker_loop.cuh"

namespace ballast::detail {

/// The blocks of launches. A worker is a block of a launch's own grid, even if other launches are merged with
/// it.
template <class K>
class launched_host_block : public one_thread_block<K> {
 public:
  using one_thread_block<K>::one_thread_block;
  BALLAST_HD std::uint32_t worker() const { return this->index(); }
  BALLAST_HD std::uint32_t workers() const { return this->count(); }
};
#if defined(__CUDACC__)
template <class K>
class launched_cuda_block : public cuda_block<K> {
 public:
  using cuda_block<K>::cuda_block;
  __device__ std::uint32_t worker() const { return this->index(); }
  __device__ std::uint32_t workers() const { return this->count(); }
};
#endif

template <class K>
void launch_alone_on_cores(void const* argument, host_block_context& context) {
  auto const& launch = *static_cast<lone_launch const*>(argument);
  launch.end.record_begin(context.block);
  launched_host_block<K> block({0, context.grid}, context.scratch);
  block.move_to(context.block);
  call_kernel(kernel_at<K>(launch.kernel), block);
  launch.end.record_end(context.grid);
}

template <class Family>
void launch_merged_on_cores(void const* argument, host_block_context& context) {
  auto const& launch = *static_cast<merged_launch const*>(argument);
  launch.end.record_begin(context.block);
  launch.record_end(Family::template run<launched_host_block>(launch, context.block, context.scratch));
}

#if defined(__CUDACC__)
template <class K, class Scratch = launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads, clamped_launch_bound<K::threads, launch_bound_blocks<K>>)
    launch_alone_on_gpu(__grid_constant__ lone_launch const launch) {
  if (threadIdx.x == 0) launch.end.record_begin(blockIdx.x);
  launched_cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  call_kernel(kernel_at<K>(launch.kernel), block);
  __syncthreads();
  if (threadIdx.x == 0) launch.end.record_end(gridDim.x);
}

template <class Family, class Scratch = launched_with<Family::scratch>>
__global__ void __launch_bounds__(Family::threads,
                                  clamped_launch_bound<Family::threads, Family::blocks_per_multiprocessor>)
    launch_merged_on_gpu(__grid_constant__ merged_launch const launch) {
  if (threadIdx.x == 0) launch.end.record_begin(blockIdx.x);
  auto const place = Family::template run<launched_cuda_block>(launch, blockIdx.x, nullptr);
  __syncthreads();
  if (threadIdx.x == 0) launch.record_end(place);
}
#endif

template <class K>
kernel_code code_alone() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &launch_alone_on_gpu<K>;
#endif
  code.host_function = &launch_alone_on_cores<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

template <class Family>
kernel_code code_merged() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &launch_merged_on_gpu<Family>;
#endif
  code.host_function = &launch_merged_on_cores<Family>;
  code.threads = Family::threads;
  code.scratch_bytes = Family::scratch;
  return code;
}

template <class K, class... All>
void add_launch_entries(std::uint32_t index, compiled_code& into) {
  if constexpr (is_mergeable<K>) {
    into.entries.push_back({entry_key_of<lone_launch>, code_alone<K>(), index});
    into.entries.push_back({entry_key_of<merged_launch>, code_merged<family_of<K, All...>>(), index});
  }
}

/// The most scratch memory that a worker of rings holds permanently, so that launches fit beside it.
inline constexpr std::uint32_t max_ring_scratch = 16384;

/// True if K fits into a slot of a ring.
template <class K>
constexpr bool fits_ring_slot =
    is_mergeable<K> && !is_by_reference<K> && scratch_bytes<K> <= max_ring_scratch;

/// The threads of the first kernel that fits; 0 if none does.
template <class... K>
constexpr std::uint32_t ring_threads() {
  std::uint32_t threads = 0;
  ((threads = threads == 0 && fits_ring_slot<K> ? std::uint32_t(K::threads) : threads), ...);
  return threads;
}

/// The kernels of a set that workers of rings run. A kernel's id is its place in the whole set.
template <class... K>
struct ring_list {
  static constexpr std::uint32_t threads = ring_threads<K...>();
  template <class One>
  static constexpr bool takes = fits_ring_slot<One>&& std::uint32_t(One::threads) == threads;

  static constexpr std::uint32_t scratch = max_of({0u, (takes<K> ? scratch_bytes<K> : 0u)...});
  static constexpr int blocks_per_multiprocessor = max_of({1, (takes<K> ? requested_blocks<K> : 0)...});
  static constexpr int blocks_with_server = blocks_per_multiprocessor;  ///< equal, since rings have no server

  /// Runs the kernel of a record, for the worker loop. Ignores the loop's block type, since launches have
  /// their own.
  template <template <class> class, class Place>
  BALLAST_HD static void run(task_record const& record, Place place) {
    std::uint32_t id = 0;
    (void)((record.kernel() == id++ ? (run_one<K>(record, place), true) : false) || ...);
  }

 private:
  template <class One, class Place>
  BALLAST_HD static void run_one(task_record const& record, Place place) {
    if constexpr (takes<One>) {
      alignas(One) unsigned char bytes[sizeof(One)];
      __builtin_memcpy(bytes, record.data, sizeof(One));
      run_grid(reinterpret_cast<One const&>(bytes), record.range(), place);
    }
  }
  template <class One>
  BALLAST_HD static void run_grid(One const& kernel, block_range range, worker_place const& place) {
    run_blocks<launched_host_block>(kernel, range, place.scratch);
  }
#if defined(__CUDACC__)
  template <class One>
  __device__ static void run_grid(One const& kernel, block_range range, void* none) {
    run_blocks<launched_cuda_block>(kernel, range, none);
  }
#endif
};

/// Adds an entry, with the same code, for each kernel of the set that goes through rings.
template <class... K>
void add_ring_entries(compiled_code& into) {
  if constexpr (ring_threads<K...>() != 0) {
    using list = ring_list<K...>;
    auto entry = make_entry<list, ordered_rings_ref>();
    for (bool const takes : {list::template takes<K>...}) {
      if (takes) into.entries.push_back(entry);
      ++entry.kernel;
    }
  }
}

}  // namespace ballast::detail

namespace ballast {

/// Listed among the kernels of BALLAST_KERNELS, it compiles those kernels so that launch queues can merge
/// them or run them on resident blocks. Kernels over 192 bytes, or aligned to more than 16, get launches of
/// their own.
struct for_launches {
  /// Shows BALLAST_KERNELS that this is no kernel.
  static constexpr bool keeps_tasks = false;
  /// Compiles the kernels of a set, for BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code& into) {
    detail::refuse_created_tasks<for_launches, KeepsTasks>();
    static_assert(sizeof...(K) <= detail::max_family_kernels,
                  "a set for launches holds at most 128 kernels: split it");
    if constexpr (!KeepsTasks && sizeof...(K) <= detail::max_family_kernels) {  // else compiling would take
                                                                                // long
      std::uint32_t index = 0;
      (detail::add_launch_entries<K, K...>(index++, into), ...);
      detail::add_ring_entries<K...>(into);
    }
  }
};

}  // namespace ballast
