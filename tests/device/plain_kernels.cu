// SPDX-License-Identifier: Apache-2.0
#include "plain_kernels.hpp"

#include "ballast/kernel.cuh"

namespace ballast::test {

#if defined(__CUDACC__)
namespace {

static_assert(launch_extent(dim3(2, 3, 4)) == launch_extent(2, 3, 4));
static_assert(launch_shape{dim3(7), dim3(32, 2)} == launch_shape{7, {32, 2}});

__device__ std::uint64_t weighted(uint3 place, factors const& weight) {
  return place.x * weight.by_x + place.y * weight.by_y + place.z * weight.by_z;
}

__device__ std::uint64_t counted(uint3 place, dim3 extent) {
  return (std::uint64_t(place.z) * extent.y + place.y) * extent.x + place.x;
}

__global__ void record_threads(std::uint64_t* notes, std::uint8_t added, double scale, factors weight) {
  auto const place = weighted(blockIdx, weight) + 1000 * weighted(threadIdx, weight);
  auto const threads = std::uint64_t(blockDim.x) * blockDim.y * blockDim.z;
  auto const at = counted(blockIdx, gridDim) * threads + counted(threadIdx, blockDim);
  notes[at] = std::uint64_t(scale * double(place)) + added;
}

__global__ void sum_shared(std::uint32_t* sums, std::uint32_t bytes) {
  extern __shared__ unsigned char shared[];
  for (std::uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) shared[i] = (unsigned char)blockIdx.x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) sum += shared[i];
  sums[blockIdx.x] = sum;
}

__global__ void append_digit(std::uint64_t* number, std::uint64_t digit) { *number = 10 * *number + digit; }

__global__ void do_nothing() {}

}  // namespace

gpu_function record_threads_function() { return &record_threads; }
gpu_function sum_shared_function() { return &sum_shared; }
gpu_function append_digit_function() { return &append_digit; }
gpu_function do_nothing_function() { return &do_nothing; }
#else
gpu_function record_threads_function() { return nullptr; }
gpu_function sum_shared_function() { return nullptr; }
gpu_function append_digit_function() { return nullptr; }
gpu_function do_nothing_function() { return nullptr; }
#endif

}  // namespace ballast::test
