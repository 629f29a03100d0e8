// SPDX-License-Identifier: Apache-2.0
#include "job/level_solve.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(solve_kernels, ballast::for_jobs, solve_at_once, solve_prepared)

}  // namespace ballast::bench
