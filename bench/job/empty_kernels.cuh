// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"

namespace ballast::bench {

struct empty_block {
  static constexpr int threads = 32;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

kernel_set const& empty_kernels();
/// uneven_block, from queue/pattern_kernels.cuh.
kernel_set const& uneven_job_kernels();

}  // namespace ballast::bench
