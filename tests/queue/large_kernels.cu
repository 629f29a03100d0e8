// SPDX-License-Identifier: Apache-2.0
#include "large_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(large_kernels, ballast::for_queues, add_one_plainly, mark_200_bytes, mark_4000_bytes,
                wait_at_gate, wait_with_200_bytes)
BALLAST_KERNELS(large_spawning_kernels, ballast::for_pools, ballast::for_queues, add_one_plainly,
                mark_200_bytes, plant_four, wait_at_gate)

}  // namespace ballast::test
