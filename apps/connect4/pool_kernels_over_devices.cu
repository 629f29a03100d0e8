// SPDX-License-Identifier: Apache-2.0
#include "pool_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::connect4 {

BALLAST_KERNELS(pool_kernels_over_devices, ballast::for_pools_over_devices, node_task<1>, node_value<1>)

}  // namespace ballast::connect4
