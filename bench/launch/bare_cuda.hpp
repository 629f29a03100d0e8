// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/device.hpp"
#include "ballast/kernel.cuh"

namespace ballast::bench {

/// Makes the device the calling thread's own, as CUDA's calls want it. Nothing for CPU cores.
void enter_device(compute_device const& device);

/// Asks for all of an SM's memory as shared memory when the function runs, so that as many blocks fit as
/// resources() says, in a thread that entered the device. Nothing for null, which is the function of a kernel
/// where CUDA was not built.
void prefer_shared_memory(void const* function);

/// A `__global__` function by CUDA's own call, on a GPU and in a thread that entered it; as cudaLaunchKernel.
/// Throws ballast::error with CUDA's words, or where CUDA was not built.
void launch_by_cuda(stream& on, void const* function, launch_shape const& shape, void** arguments);

/// Launches a `__global__` function as above, with its arguments by value; they must be of the parameters'
/// types.
template <class... Parameter>
void launch_by_cuda(stream& on, void (*kernel)(Parameter...), launch_shape const& shape,
                    Parameter... arguments) {
  void* addresses[] = {&arguments...};
  launch_by_cuda(on, reinterpret_cast<void const*>(kernel), shape, addresses);
}

}  // namespace ballast::bench
