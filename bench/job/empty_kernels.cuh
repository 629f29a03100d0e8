// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/device/block.cuh"
#include "ballast/job/job_kernels.hpp"

namespace ballast::bench {

struct empty_block {
  static constexpr int threads = 32;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

job_kernels const& empty_kernels();

}  // namespace ballast::bench
