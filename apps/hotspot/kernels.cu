// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/kernels.cuh"
#include "heat_step.cuh"

namespace ballast::hotspot {

BALLAST_KERNELS(heat_kernels, ballast::for_jobs, heat_step<float>, heat_step<double>)

}  // namespace ballast::hotspot
