// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(graph_step_kernels, ballast::for_queues, graph_step)

}  // namespace ballast::bench
