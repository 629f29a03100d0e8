// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.hpp"

#include <stdexcept>

#include "ballast/kernel.cuh"

namespace ballast::test {
namespace {

template <class K>
void reduce_on_host(void const* argument, detail::host_block_context& context) {
  detail::host_block<K> block({0, context.grid}, context.place());
  block.move_to(context.block);
  (*static_cast<K const*>(argument))(block);
}

#if defined(__CUDACC__)
template <class K, class Scratch = detail::launched_with<scratch_bytes<K>>>
__global__ void __launch_bounds__(K::threads) reduce_on_gpu(__grid_constant__ K const kernel) {
  detail::cuda_block<K> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel(block);
}
#endif

template <class K>
kernel_code code_of() {
  kernel_code code;
  code.name = "reductions";
#if defined(__CUDACC__)
  code.cuda_function = &reduce_on_gpu<K>;
#endif
  code.host_function = &reduce_on_host<K>;
  code.threads = K::threads;
  code.scratch_bytes = scratch_bytes<K>;
  return code;
}

template <template <int> class K>
kernel_code code_by(std::uint32_t threads) {
  switch (threads) {
    case 32:
      return code_of<K<32>>();
    case 64:
      return code_of<K<64>>();
    case 96:
      return code_of<K<96>>();
    case 256:
      return code_of<K<256>>();
    case 1024:
      return code_of<K<1024>>();
  }
  throw std::invalid_argument("this number of threads is not compiled");
}

}  // namespace

kernel_code reduce_cases_kernel(std::uint32_t threads) { return code_by<reduce_cases>(threads); }
kernel_code warp_cases_kernel(std::uint32_t threads) { return code_by<warp_cases>(threads); }
kernel_code sparse_rows_kernel() { return code_of<sparse_rows>(); }

}  // namespace ballast::test
