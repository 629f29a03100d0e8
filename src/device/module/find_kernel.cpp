// SPDX-License-Identifier: Apache-2.0
// Linked to each program and shared library that has kernels, but not into libballast.so, whose CUDA runtime
// does not know these kernels.
#include <cuda_runtime_api.h>

#include "ballast/gpu_function.hpp"

namespace ballast::detail {

int find_kernel(void const* address, driver_handle& found) noexcept {
  auto const status = cudaGetKernel(&found.kernel, address);
  if (status != cudaSuccess) cudaGetLastError();
  found.is_of_program = true;
  return status;
}

}  // namespace ballast::detail
