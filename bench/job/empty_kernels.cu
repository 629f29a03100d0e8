// SPDX-License-Identifier: Apache-2.0
#include "job/empty_kernels.cuh"

#include "ballast/kernels.cuh"
#include "queue/pattern_kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(empty_kernels, ballast::for_jobs, empty_block)

BALLAST_KERNELS(uneven_job_kernels, ballast::for_jobs, uneven_block)

}  // namespace ballast::bench
