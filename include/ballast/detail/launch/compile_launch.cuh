// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/detail/launch/kernel_family.cuh"
#include "ballast/kernel.cuh"
#include "ballast/launch_kernels.hpp"
#include "ballast/policy/merge.hpp"

namespace ballast::detail {

/// The blocks of launches: a worker is a block of a launch's own grid, also where others are merged with it.
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
  kernel_at<K>(launch.kernel)(block);
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
  kernel_at<K>(launch.kernel)(block);
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
  code.cuda_function = reinterpret_cast<void const*>(&launch_alone_on_gpu<K>);
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
  code.cuda_function = reinterpret_cast<void const*>(&launch_merged_on_gpu<Family>);
#endif
  code.host_function = &launch_merged_on_cores<Family>;
  code.threads = Family::threads;
  code.scratch_bytes = Family::scratch;
  return code;
}

template <class K, class Family>
launchable_kernel make_launchable() {
  static_assert(K::threads >= 32,
                "kernels of one thread are for task pools: list them in BALLAST_POOL_KERNELS");
  static_assert(!declares_spawns<K>,
                "kernels that create tasks are for BALLAST_SPAWNING_KERNELS and BALLAST_POOL_KERNELS");
  static_assert(sizeof(K) <= max_kernel_bytes,
                "this kernel's members exceed 192 bytes: list it as indirect<K>");
  static_assert(alignof(K) <= argument_piece,
                "this kernel's members are aligned to more than 16 bytes: list it as indirect<K>");
  return {key_of<K>,
          type_name<K>(),
          sizeof(K),
          code_alone<K>(),
          code_merged<Family>(),
          needs_occupancy<K>,
          Family::template index_of<K>()};
}

template <kernel_form... K>
launch_kernels compile_for_launches(std::string name) {
  static_assert(sizeof...(K) <= max_family_kernels,
                "a list for launches holds at most 128 kernels: split it");
  if constexpr (sizeof...(K) <= max_family_kernels)  // else the families would take long, for nothing
    return {std::move(name), {make_launchable<K, family_of<K, K...>>()...}};
}

}  // namespace ballast::detail
