// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::connect4 {

BALLAST_POOL_KERNELS_WITH_METHODS(pool_kernels_of_blocks, node_task<64>, node_value<64>)

}  // namespace ballast::connect4
