// SPDX-License-Identifier: Apache-2.0
#include "ballast/methods/pool_methods.cuh"
#include "ranked_kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(ranked_kernels_of_warps, ballast::for_pools, ranked_node<32>)
BALLAST_KERNELS(ranked_kernels_of_threads, ballast::for_pool_methods, ranked_node<1>)
BALLAST_KERNELS(ranked_families, ballast::for_pools, ranked_family)
BALLAST_KERNELS(ranked_kernels_over_devices, ballast::for_pools_over_devices, ranked_node<64>)

}  // namespace ballast::test
