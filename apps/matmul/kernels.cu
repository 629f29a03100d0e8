// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/job_kernels.cuh"
#include "product_kernels.cuh"

namespace ballast::matmul {

BALLAST_JOB_KERNELS(product_kernels, naive_product, tiled_product)

}  // namespace ballast::matmul
