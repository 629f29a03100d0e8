// SPDX-License-Identifier: Apache-2.0
#include "cluster_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::test {

BALLAST_KERNELS(cluster_kernels, ballast::for_queues, square, slow_square)

}  // namespace ballast::test
