// SPDX-License-Identifier: Apache-2.0
#include "rank_kernels.cuh"

#include "ballast/kernels.cuh"
#include "uts.cuh"

namespace ballast::test {

BALLAST_KERNELS(rank_kernels, ballast::for_queues, square, slow_square)
BALLAST_KERNELS(tree_kernels, ballast::for_queues, uts_node)

}  // namespace ballast::test
