// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The argument of a launch of a task: the kernel, and the job's blocks that are the task's.
template <class K>
struct task_of_kernel {
  K kernel;
  block_range range;
};

/// CUDA hands over at most 4096 bytes.
inline constexpr std::size_t max_job_kernel_bytes = 4000;

}  // namespace ballast::detail
