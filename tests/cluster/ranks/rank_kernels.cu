// SPDX-License-Identifier: Apache-2.0
#include "rank_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(rank_kernels, ballast::for_queues, square, slow_square)

}  // namespace ballast::test
