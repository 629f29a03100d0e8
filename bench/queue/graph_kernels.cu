// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_kernels.cuh"

#include "ballast/kernels.cuh"
#include "queue/graph_rivals.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(chain_step_kernels, ballast::for_queues, chain_step)

BALLAST_KERNELS(busy_step_kernels, ballast::for_queues, busy_step)

BALLAST_LAUNCHED(all_levels<chain_step>)
BALLAST_LAUNCHED(all_levels<busy_step>)

}  // namespace ballast::bench
