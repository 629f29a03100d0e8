// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job/job_kernels.hpp"

namespace ballast::hotspot {

/// heat_step in single and double precision, for job schedulers.
job_kernels const& heat_kernels();

}  // namespace ballast::hotspot
