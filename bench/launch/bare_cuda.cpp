// SPDX-License-Identifier: Apache-2.0
#include "launch/bare_cuda.hpp"

#include "ballast/error.hpp"
#include "harness/cuda_check.hpp"

namespace ballast::bench {

#if BALLAST_HAVE_CUDA
void enter_device(compute_device const& device) {
  if (device.is_cuda()) check(cudaSetDevice(device.spec().index), "cudaSetDevice");
}

void prefer_shared_memory(void const* function) {
  if (function == nullptr) return;
  check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
}

void launch_by_cuda(stream& on, void const* function, launch_shape const& shape, void** arguments) {
  check(cudaLaunchKernel(function, dim3(shape.grid.x, shape.grid.y, shape.grid.z),
                         dim3(shape.block.x, shape.block.y, shape.block.z), arguments, shape.shared_bytes,
                         on.native()),
        "cudaLaunchKernel");
}
#else
void enter_device(compute_device const&) {}
void prefer_shared_memory(void const*) {}
void launch_by_cuda(stream&, void const*, launch_shape const&, void**) {
  throw error("a launch by CUDA's own call: CUDA was not built");
}
#endif

}  // namespace ballast::bench
