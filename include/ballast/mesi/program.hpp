// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "ballast/job/job_kernels.hpp"
#include "ballast/job/job_scheduler.hpp"

namespace ballast::mesi {

/// The scheduler behind all variables and launches of a program, made at the first use: on the devices of
/// BALLAST_DEVICES, else all GPUs, else the cores. Any thread may call. Throws as job_scheduler.
job_scheduler& scheduler();

/// Kernels of a file, given to the scheduler when it is made. A static object; see BALLAST_MESI_KERNELS.
class kernel_registration {
 public:
  explicit kernel_registration(job_kernels const& (*kernels)());
};

}  // namespace ballast::mesi
