// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include <ballast/kernels.cuh>

BALLAST_KERNELS(kernels, heat)
