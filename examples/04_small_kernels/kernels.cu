// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include <ballast/launch_kernels.cuh>

BALLAST_LAUNCH_KERNELS(kernels, move_points, count_hits)
