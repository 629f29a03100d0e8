// SPDX-License-Identifier: Apache-2.0
#include "job/empty_kernels.cuh"

#include "ballast/job_kernels.cuh"

namespace ballast::bench {

BALLAST_JOB_KERNELS(empty_kernels, empty_block)

}  // namespace ballast::bench
