// SPDX-License-Identifier: Apache-2.0
#include "all_pairs_forces.cuh"
#include "ballast/kernels.cuh"
#include "cell_forces.cuh"
#include "kernels.hpp"
#include "motion.cuh"

namespace ballast::md {

BALLAST_KERNELS(job_kernels, ballast::for_jobs, cell_forces<float, in_slots>, cell_forces<double, in_slots>,
                all_pairs_forces<float, in_slots>, all_pairs_forces<double, in_slots>, kick, drift<float>,
                drift<double>)

}  // namespace ballast::md
