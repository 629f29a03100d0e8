// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include <ballast/job_kernels.cuh>

BALLAST_JOB_KERNELS(kernels, heat)
