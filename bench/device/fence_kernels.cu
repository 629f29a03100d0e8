// SPDX-License-Identifier: Apache-2.0
#include "device/fence_kernels.hpp"

#if defined(__CUDACC__)
#  include "ballast/kernel.cuh"
#endif

namespace ballast::bench {

#if defined(__CUDACC__)
namespace {

struct nothing {
  static __device__ void call(std::uint32_t*) { asm volatile("" ::: "memory"); }
};
struct syncthreads {
  static __device__ void call(std::uint32_t*) { __syncthreads(); }
};
struct threadfence_block {
  static __device__ void call(std::uint32_t*) { __threadfence_block(); }
};
struct threadfence {
  static __device__ void call(std::uint32_t*) { __threadfence(); }
};
struct threadfence_system {
  static __device__ void call(std::uint32_t*) { __threadfence_system(); }
};
struct fence_cta {
  static __device__ void call(std::uint32_t*) { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
};
struct fence_gpu {
  static __device__ void call(std::uint32_t*) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
};
struct fence_sys {
  static __device__ void call(std::uint32_t*) { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
};
template <class Fence>
struct store_and {
  static __device__ void call(std::uint32_t* word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory");
    Fence::call(word);
  }
};

template <class Fence, bool All>
__global__ void __launch_bounds__(fence_calls::threads,
                                  detail::clamped_launch_bound<fence_calls::threads, 16>)
    time_calls(fence_calls argument) {
  if (!All && threadIdx.x != 0) return;
  auto* const own = argument.own + blockIdx.x * fence_calls::spacing;
  std::uint32_t made = 0;
  auto const begin = clock64();
  for (; made < argument.calls; made += 8) {
#  pragma unroll
    for (int i = 0; i < 8; ++i) Fence::call(own);
  }
  auto const end = clock64();
  if (threadIdx.x == 0) argument.cycles[blockIdx.x] = std::uint64_t(end - begin);
  atomicAdd(argument.made + blockIdx.x, made);
}

template <class Fence, bool All>
fence_variant way(std::string const& name) {
  kernel_code code;
  code.name = "time_calls";
  code.cuda_function = &time_calls<Fence, All>;
  code.threads = fence_calls::threads;
  return {name, code, All ? fence_calls::threads : 1};
}

template <class Fence>
void add_both(std::vector<fence_variant>& ways, std::string const& name) {
  ways.push_back(way<Fence, false>(name + ", one thread"));
  ways.push_back(way<Fence, true>(name + ", all threads"));
}

}  // namespace

std::vector<fence_variant> fence_variants() {
  std::vector<fence_variant> ways = {way<nothing, true>("bare loop"),
                                     way<syncthreads, true>("__syncthreads")};
  add_both<threadfence_block>(ways, "__threadfence_block");
  add_both<threadfence>(ways, "__threadfence");
  add_both<threadfence_system>(ways, "__threadfence_system");
  add_both<fence_cta>(ways, "fence.acq_rel.cta");
  add_both<fence_gpu>(ways, "fence.acq_rel.gpu");
  add_both<fence_sys>(ways, "fence.acq_rel.sys");
  ways.push_back(way<store_and<fence_gpu>, false>("store, fence.acq_rel.gpu, one thread"));
  ways.push_back(way<store_and<fence_sys>, false>("store, fence.acq_rel.sys, one thread"));
  return ways;
}
#else
std::vector<fence_variant> fence_variants() { return {}; }
#endif

}  // namespace ballast::bench
