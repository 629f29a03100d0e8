// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/queue/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(small_block_kernels, count_block<128>, wait_for_gate, echo)

BALLAST_KERNELS(large_block_kernels, count_block<512>)

}  // namespace ballast::bench
