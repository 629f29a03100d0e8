// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/device/kernel_identity.hpp"
#include "ballast/launch/kernel_facts.hpp"
#include "ballast/launch/kernel_family.cuh"
#include "ballast/launch/launch_kernels.hpp"

namespace ballast::inline launch {

template <class K>
void launch_alone_on_cores(void const* argument, host_lane& lane) {
  auto const& launch = *static_cast<lone_launch const*>(argument);
  launch.end.note_begin(lane.block);
  host_block<K> block({0, lane.grid}, lane.scratch);
  block.move_to(lane.block);
  kernel_at<K>(launch.kernel)(block);
  launch.end.note_end(lane.grid);
}

template <class Family>
void launch_merged_on_cores(void const* argument, host_lane& lane) {
  auto const& launch = *static_cast<merged_launch const*>(argument);
  launch.end.note_begin(lane.block);
  launch.note_end(Family::template run<host_block>(launch, lane.block, lane.scratch));
}

#if defined(__CUDACC__)
template <class K, class Scratch = launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads, fitting_blocks<K::threads, bounded_blocks<K>>)
    launch_alone_on_gpu(__grid_constant__ lone_launch const launch) {
  if (threadIdx.x == 0) launch.end.note_begin(blockIdx.x);
  cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel_at<K>(launch.kernel)(block);
  __syncthreads();
  if (threadIdx.x == 0) launch.end.note_end(gridDim.x);
}

template <class Family, class Scratch = launched_with<Family::scratch>>
__global__ void __launch_bounds__(Family::threads,
                                  fitting_blocks<Family::threads, Family::blocks_per_multiprocessor>)
    launch_merged_on_gpu(__grid_constant__ merged_launch const launch) {
  if (threadIdx.x == 0) launch.end.note_begin(blockIdx.x);
  auto const place = Family::template run<cuda_block>(launch, blockIdx.x, nullptr);
  __syncthreads();
  if (threadIdx.x == 0) launch.note_end(place);
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
  static_assert(K::threads >= 32, "kernels of one thread are for task pools");
  static_assert(sizeof(K) <= most_kernel_bytes,
                "this kernel's members exceed 192 bytes: list it as by_reference<K>");
  static_assert(alignof(K) <= argument_piece);
  return {key_of<K>,
          type_name<K>(),
          sizeof(K),
          code_alone<K>(),
          code_merged<Family>(),
          needs_occupancy<K>,
          Family::template place_of<K>()};
}

template <kernel_form... K>
launch_kernels compile_for_launches(std::string name) {
  static_assert(sizeof...(K) <= most_kernels_of_family, "a list holds at most 128 kernels");
  return {std::move(name), {make_launchable<K, family_of<K, K...>>()...}};
}

}  // namespace ballast::inline launch

/// Compiles a list of kernels for launch queues, once, in a .cu file: defines `ballast::launch_kernels const&
/// name()`, which a header declares for the .cpp files that use it. Kernels of at most 192 bytes of members.
#define BALLAST_LAUNCH_KERNELS(name, ...)                                                 \
  ::ballast::launch_kernels const& name() {                                               \
    static_assert(::ballast::check_kernels<::ballast::most_kernel_bytes, __VA_ARGS__>()); \
    static auto const list = ::ballast::compile_for_launches<__VA_ARGS__>(#name);         \
    return list;                                                                          \
  }
