// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/job_kernels.cuh"
#include "ballast/launch_kernels.cuh"
#include "ballast/methods/chen_kernels.cuh"
#include "ballast/methods/pool_methods.cuh"

namespace ballast::soak {

BALLAST_KERNELS_WITH_CHEN(queue_kernels, visit, fault)
BALLAST_POOL_KERNELS_WITH_METHODS(pool_kernels, grow)
BALLAST_LAUNCH_KERNELS(kernels_to_launch, advance, advance_widely)
BALLAST_JOB_KERNELS(kernels_of_jobs, add_to_each, mark_even, mix_rows, add_all, fault)

}  // namespace ballast::soak
