// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ballast/device/launch_shape.hpp"

namespace ballast::inline job {

/// The first parameter of a plain `__global__` kernel that is a job: where this task begins in the job's
/// grid. Take block() and thread() for blockIdx and for the thread's place in the whole grid.
struct grid_slice {
  launch_extent first;  ///< block of the task
  launch_extent grid;   ///< blocks of the job

#if defined(__CUDACC__)
  __device__ launch_extent block() const {
    launch_extent at = first;
    at.x += blockIdx.x;
    at.y += blockIdx.y;
    at.z += blockIdx.z;
    return at;
  }
  __device__ launch_extent thread() const {
    launch_extent at = block();
    at.x = at.x * blockDim.x + threadIdx.x;
    at.y = at.y * blockDim.y + threadIdx.y;
    at.z = at.z * blockDim.z + threadIdx.z;
    return at;
  }
#endif
};
static_assert(std::is_trivially_copyable_v<grid_slice>);

}  // namespace ballast::inline job
