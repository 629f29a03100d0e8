// SPDX-License-Identifier: Apache-2.0
#include "search_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::bench {

BALLAST_KERNELS(hop_kernels, ballast::for_pool_methods, next_edges<hop>, many_edges<hop>)
BALLAST_KERNELS(road_kernels, ballast::for_pool_methods, next_edges<road>, many_edges<road>)
BALLAST_KERNELS(tour_kernels, ballast::for_pool_methods, tour_task)

}  // namespace ballast::bench
