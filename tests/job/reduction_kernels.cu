// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.cuh"

#include "ballast/job_kernels.cuh"

namespace ballast::test {

BALLAST_JOB_KERNELS(reducing_kernels, count_by_reduction)

}  // namespace ballast::test
