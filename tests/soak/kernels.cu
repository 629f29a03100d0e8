// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/kernels.cuh"
#include "ballast/methods/chen_kernels.cuh"
#include "ballast/methods/pool_methods.cuh"

namespace ballast::soak {

BALLAST_KERNELS(queue_kernels, ballast::for_queues, ballast::for_chen_queues, visit, fault)
BALLAST_KERNELS(pool_kernels, ballast::for_pool_methods, grow)
BALLAST_KERNELS(kernels_to_launch, ballast::for_launches, advance, advance_widely)
BALLAST_KERNELS(kernels_of_jobs, ballast::for_jobs, add_to_each, mark_even, mix_rows, add_all, fault)

}  // namespace ballast::soak
