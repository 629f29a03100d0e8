// SPDX-License-Identifier: Apache-2.0
#include "pattern_kernels.cuh"

#include "ballast/queue_kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(uneven_kernels, uneven_block, wait_for_gate)

BALLAST_KERNELS(matmul_kernels, matmul_tile)

}  // namespace ballast::bench
