// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/pool/kernels.cuh"

namespace ballast::connect4 {

BALLAST_POOL_KERNELS(pool_kernels, node_task, node_value)

}  // namespace ballast::connect4
