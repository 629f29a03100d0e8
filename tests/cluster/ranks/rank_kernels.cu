// SPDX-License-Identifier: Apache-2.0
#include "rank_kernels.cuh"

#include "ballast/kernels.cuh"
#include "uts.cuh"
#include "visiting_kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(rank_kernels, ballast::for_queues, square, slow_square, slow_square_once)
BALLAST_KERNELS(visiting_kernels, ballast::for_queues, count_visit, add_through_scratch, work_then_count,
                wait_for_word)
BALLAST_KERNELS(tree_kernels, ballast::for_queues, uts_node)

}  // namespace ballast::test
