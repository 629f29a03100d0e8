// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/kernels.cuh"
#include "product_kernels.cuh"

namespace ballast::matmul {

BALLAST_KERNELS(product_kernels, ballast::for_jobs, naive_product, tiled_product)

}  // namespace ballast::matmul
