// SPDX-License-Identifier: Apache-2.0
#include "ranked_jobs.cuh"

#include "ballast/detail/device/compile_kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(listed_ranked_jobs, ballast::for_jobs, mix_rows, add_all_to_each)

kernel_set const& ranked_job_kernels() { return listed_ranked_jobs(); }

}  // namespace ballast::test
