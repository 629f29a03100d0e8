// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"

namespace ballast::matmul {

/// naive_product and tiled_product, for job schedulers.
kernel_set const& product_kernels();

}  // namespace ballast::matmul
