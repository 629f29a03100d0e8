// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"

namespace ballast::hotspot {

/// heat_step in single and double precision, for job schedulers.
kernel_set const& heat_kernels();

}  // namespace ballast::hotspot
