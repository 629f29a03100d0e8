// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/kernels.cuh"
#include "kernel_batch.cuh"
#include "mixed_forces.cuh"
#include "water_forces.cuh"
#include "water_motion.cuh"

namespace ballast::nanodroplet {
namespace {

constexpr std::size_t max_argument_bytes = 96;  // small enough that a launch can hold several kernels

template <class K>
void run_on_host(void const* argument, detail::host_block_context& context) {
  detail::host_block<K> block({0, context.grid}, context.place());
  block.move_to(context.block);
  (*static_cast<K const*>(argument))(block);
}

#if defined(__CUDACC__)
template <class K, class Scratch = detail::launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads,
                                  detail::clamped_launch_bound<K::threads, detail::launch_bound_blocks<K>>)
    run_on_gpu(K kernel) {
  detail::cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel(block);
}
#endif

template <class K>
kernel_code code_of(std::string_view name) {
  static_assert(sizeof(K) <= max_argument_bytes);
  kernel_code code;
  code.name = name;
#if defined(__CUDACC__)
  code.cuda_function = &run_on_gpu<K>;
#endif
  code.host_function = &run_on_host<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

}  // namespace

BALLAST_KERNELS(droplet_kernels, ballast::for_launches, load_water, begin_water, water_forces, mixed_forces,
                propagate_water)

template <kernel_form K>
kernel_code launched_alone() {
  static auto const name = type_name<K>();
  return code_of<K>(name);
}

template kernel_code launched_alone<load_water>();
template kernel_code launched_alone<kernel_batch<load_water>>();
template kernel_code launched_alone<begin_water>();
template kernel_code launched_alone<kernel_batch<begin_water>>();
template kernel_code launched_alone<water_forces>();
template kernel_code launched_alone<kernel_batch<water_forces>>();
template kernel_code launched_alone<mixed_forces>();
template kernel_code launched_alone<kernel_batch<mixed_forces>>();
template kernel_code launched_alone<propagate_water>();
template kernel_code launched_alone<kernel_batch<propagate_water>>();

}  // namespace ballast::nanodroplet
