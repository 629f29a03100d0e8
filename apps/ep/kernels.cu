// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/job_kernels.cuh"
#include "gaussian_pairs.cuh"

namespace ballast::ep {

BALLAST_JOB_KERNELS(pair_kernels, gaussian_pairs)

}  // namespace ballast::ep
