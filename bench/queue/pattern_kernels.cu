// SPDX-License-Identifier: Apache-2.0
#include "pattern_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(uneven_kernels, ballast::for_queues, uneven_block, wait_for_gate)

BALLAST_KERNELS(matmul_kernels, ballast::for_queues, matmul_tile)

}  // namespace ballast::bench
