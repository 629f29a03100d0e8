// SPDX-License-Identifier: Apache-2.0
#include "device_kernels.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "ballast/kernel.cuh"

namespace ballast::test {
namespace {

std::uint32_t read(std::uint32_t& word) { return std::atomic_ref(word).load(std::memory_order_acquire); }

void visit_on_host(void const* argument, detail::host_block_context& context) {
  ++static_cast<visit_argument const*>(argument)->visits[context.block];
}

void meet_on_host(void const* argument, detail::host_block_context& context) {
  auto& arrived = *static_cast<meet_argument const*>(argument)->arrived;
  std::atomic_ref(arrived).fetch_add(1);
  while (read(arrived) < context.grid) std::this_thread::yield();
}

void hold_on_host(void const* argument, detail::host_block_context&) {
  auto const& words = *static_cast<hold_argument const*>(argument);
  std::atomic_ref(*words.started).store(1, std::memory_order_release);
  while (read(*words.released) == 0) std::this_thread::yield();
}

template <std::uint32_t Bytes>
void scratch_on_host(void const* argument, detail::host_block_context& context) {
  auto* const bytes = static_cast<unsigned char*>(context.scratch);
  for (std::uint32_t i = 0; i < Bytes; ++i) bytes[i] = static_cast<unsigned char>(context.block);
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < Bytes; ++i) sum += bytes[i];
  static_cast<scratch_argument const*>(argument)->sums[context.block] = sum;
}

void sm_number_on_host(void const* argument, detail::host_block_context& context) {
  static_cast<sm_number_argument const*>(argument)->numbers[context.block] = 0;
}

void fault_on_host(void const*, detail::host_block_context&) { throw std::runtime_error("planted"); }

#if defined(__CUDACC__)
__global__ void visit_on_gpu(visit_argument argument) {
  if (threadIdx.x == 0) ++argument.visits[blockIdx.x];
}

__global__ void meet_on_gpu(meet_argument argument) {
  if (threadIdx.x != 0) return;
  atomicAdd(argument.arrived, 1u);
  while (*static_cast<std::uint32_t volatile*>(argument.arrived) < gridDim.x) {}
}

__global__ void hold_on_gpu(hold_argument argument) {
  if (threadIdx.x != 0) return;
  *static_cast<std::uint32_t volatile*>(argument.started) = 1;
  while (*static_cast<std::uint32_t volatile*>(argument.released) == 0) {}
}

template <std::uint32_t Bytes, class Scratch = detail::launched_with<Bytes>>
__global__ void scratch_on_gpu(scratch_argument argument) {
  extern __shared__ unsigned char bytes[];
  for (std::uint32_t i = threadIdx.x; i < Bytes; i += blockDim.x) bytes[i] = (unsigned char)blockIdx.x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < Bytes; ++i) sum += bytes[i];
  argument.sums[blockIdx.x] = sum;
}

__global__ void sm_number_on_gpu(sm_number_argument argument) {
  std::uint32_t number = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  if (threadIdx.x == 0) argument.numbers[blockIdx.x] = number;
}

struct nothing {
  std::uint32_t unused;
};
__global__ void fault_on_gpu(nothing) { __trap(); }

#  define BALLAST_TEST_GPU(kernel) &kernel
#else
#  define BALLAST_TEST_GPU(kernel) nullptr
#endif

}  // namespace

kernel_code visit_kernel() { return {"visit", BALLAST_TEST_GPU(visit_on_gpu), &visit_on_host, 64, 0}; }
kernel_code meet_kernel() { return {"meet", BALLAST_TEST_GPU(meet_on_gpu), &meet_on_host, 64, 0}; }
kernel_code hold_kernel() { return {"hold", BALLAST_TEST_GPU(hold_on_gpu), &hold_on_host, 32, 0}; }
kernel_code sm_number_kernel() {
  return {"sm number", BALLAST_TEST_GPU(sm_number_on_gpu), &sm_number_on_host, 64, 0};
}
kernel_code fault_kernel() { return {"fault", BALLAST_TEST_GPU(fault_on_gpu), &fault_on_host, 32, 0}; }

kernel_code scratch_kernel(std::uint32_t bytes) {
  constexpr std::uint32_t small = 1000, large = 60 * 1024;  // more than unasked for; Turing has 64
  if (bytes == small)
    return {"small scratch", BALLAST_TEST_GPU(scratch_on_gpu<small>), &scratch_on_host<small>, 64, small};
  if (bytes == large)
    return {"large scratch", BALLAST_TEST_GPU(scratch_on_gpu<large>), &scratch_on_host<large>, 64, large};
  throw std::invalid_argument("this scratch size is not compiled");
}

}  // namespace ballast::test
