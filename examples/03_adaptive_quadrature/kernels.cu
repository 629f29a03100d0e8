// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include <ballast/pool_kernels.cuh>

BALLAST_POOL_KERNELS(kernels, integrate)
