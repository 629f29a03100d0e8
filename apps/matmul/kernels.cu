// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/job_kernels.cuh"
#include "naive_product.cuh"
#include "tiled_product.cuh"

namespace ballast::matmul {

BALLAST_JOB_KERNELS(product_kernels, naive_product, tiled_product)

}  // namespace ballast::matmul
