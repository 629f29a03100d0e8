// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::connect4 {

BALLAST_KERNELS(pool_kernels_of_blocks, ballast::for_pool_methods, node_task<64>, node_value<64>)

}  // namespace ballast::connect4
