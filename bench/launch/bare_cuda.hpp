// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/device.hpp"
#include "ballast/kernel.cuh"

namespace ballast::bench {

/// Makes the device the calling thread's current one, as CUDA's calls require. Does nothing for CPU cores.
void enter_device(compute_device const& device);

/// Requests all of an SM's memory as shared memory when the function runs, so that as many blocks fit as
/// resources() returns; call it in a thread that entered the device. Does nothing for null, the function of a
/// kernel if CUDA was not built.
void prefer_shared_memory(void const* function);

/// Launches a `__global__` function by CUDA's own call (cudaLaunchKernel), on a GPU and in a thread that
/// entered it. Throws ballast::error with CUDA's message, or if CUDA was not built.
void launch_by_cuda(stream& on, void const* function, launch_shape const& shape, void** arguments);

/// Launches a `__global__` function as above, with its arguments by value, which must have the parameters'
/// types.
template <class... Parameter>
void launch_by_cuda(stream& on, void (*kernel)(Parameter...), launch_shape const& shape,
                    Parameter... arguments) {
  void* addresses[] = {&arguments...};
  launch_by_cuda(on, reinterpret_cast<void const*>(kernel), shape, addresses);
}

}  // namespace ballast::bench
