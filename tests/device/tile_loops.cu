// SPDX-License-Identifier: Apache-2.0
#include "tile_loops.hpp"

namespace ballast::test {
namespace {

void visit_tiles_on_host(void const* argument, detail::host_block_context& context) {
  detail::host_block<visit_tiles> block({0, context.grid}, context.place());
  block.move_to(context.block);
  (*static_cast<visit_tiles const*>(argument))(block);
}

#if defined(__CUDACC__)
template <class Scratch = detail::launched_with<scratch_bytes<visit_tiles>>>
__global__ void __launch_bounds__(visit_tiles::threads)
    visit_tiles_on_gpu(__grid_constant__ visit_tiles const kernel) {
  detail::cuda_block<visit_tiles> block({0, gridDim.x}, nullptr);
  block.move_to(blockIdx.x);
  kernel(block);
}

__global__ void visit_as_cuda(unsigned* visits, block_counter* counter, unsigned tiles,
                              block_quantum quantum) {
  __shared__ unsigned shared;
  if (threadIdx.x == 0) atomicAdd(visits + tiles, 1u);
  for_each_block(*counter, tiles, quantum, [&](unsigned tile) {
    if (threadIdx.x == 0) shared = tile;
    __syncthreads();
    if (shared == tile) atomicAdd(visits + tile, 1u);
  });
}
#  define BALLAST_TEST_GPU(kernel) &kernel
#else
#  define BALLAST_TEST_GPU(kernel) nullptr
#endif

}  // namespace

kernel_code visit_tiles_kernel() {
  return {"visit tiles", BALLAST_TEST_GPU(visit_tiles_on_gpu<>), &visit_tiles_on_host, visit_tiles::threads,
          scratch_bytes<visit_tiles>};
}
gpu_function visit_as_cuda_function() { return BALLAST_TEST_GPU(visit_as_cuda); }

#if defined(__CUDACC__)
loop_shape shape_of_visits(int gpu, std::uint64_t tiles, unsigned threads, std::size_t shared_bytes,
                           loop_options const& options) {
  detail::require_cuda(cudaSetDevice(gpu), "cudaSetDevice");
  return shape_of(&visit_as_cuda, tiles, threads, shared_bytes, options);
}
#else
loop_shape shape_of_visits(int, std::uint64_t, unsigned, std::size_t, loop_options const&) { return {}; }
#endif

}  // namespace ballast::test
