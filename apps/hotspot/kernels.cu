// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/job_kernels.cuh"
#include "heat_step.cuh"

namespace ballast::hotspot {

BALLAST_JOB_KERNELS(heat_kernels, heat_step<float>, heat_step<double>)

}  // namespace ballast::hotspot
