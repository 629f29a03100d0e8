// SPDX-License-Identifier: Apache-2.0
#include "segment_kernels.hpp"

#include <stdexcept>

#include "code_of_kernel.cuh"

namespace ballast::test {
namespace {

template <int Threads>
using reduce_fractions = reduce_rows<Threads, float, std::uint32_t>;
template <int Threads>
using reduce_maps = reduce_rows<Threads, affine, std::uint64_t>;

template <template <int> class K>
kernel_code segment_code(std::uint32_t threads) {
  if (threads == 32) return code_of_kernel<K<32>>("segments");
  if (threads == 96) return code_of_kernel<K<96>>("segments");
  if (threads == 256) return code_of_kernel<K<256>>("segments");
  if (threads == 1024) return code_of_kernel<K<1024>>("segments");
  throw std::invalid_argument("this number of threads is not compiled");
}

#if defined(__CUDACC__)
__global__ void __launch_bounds__(128) reduce_in_an_own_kernel(reduce_fractions<128> rows) {
  __shared__ share_memory<float> memory;
  rows.run(block_of<128>({}, blockIdx.x), memory, gridDim.x);
}
__global__ void __launch_bounds__(128) combine_in_an_own_kernel(combine_pieces<128> pieces) {
  pieces.run(block_of<128>({}, blockIdx.x), gridDim.x);
}
#endif

}  // namespace

kernel_code reduce_fractions_kernel(std::uint32_t threads) { return segment_code<reduce_fractions>(threads); }
kernel_code reduce_maps_kernel(std::uint32_t threads) { return segment_code<reduce_maps>(threads); }
kernel_code combine_pieces_kernel(std::uint32_t threads) { return segment_code<combine_pieces>(threads); }
kernel_code cut_there_kernel(std::uint32_t threads) { return segment_code<cut_there>(threads); }

#if defined(__CUDACC__)
gpu_function own_reduction() { return &reduce_in_an_own_kernel; }
gpu_function own_combination() { return &combine_in_an_own_kernel; }
#else
gpu_function own_reduction() { return nullptr; }
gpu_function own_combination() { return nullptr; }
#endif

}  // namespace ballast::test
