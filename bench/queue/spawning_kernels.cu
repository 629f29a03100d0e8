// SPDX-License-Identifier: Apache-2.0
#include "ballast/kernels.cuh"

#include "queue/kernels.cuh"
#include "queue/pattern_kernels.cuh"
#include "queue/spawning_kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(small_block_kernels_with_pool, ballast::for_pools, ballast::for_queues, count_block<128>,
                wait_for_gate, count_tree)

BALLAST_KERNELS(uneven_kernels_with_pool, ballast::for_pools, ballast::for_queues, uneven_block,
                wait_for_gate)

}  // namespace ballast::bench
