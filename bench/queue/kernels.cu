// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/methods/chen_kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(small_block_kernels, ballast::for_queues, count_block<128>, wait_for_gate, echo, relayed_echo)

BALLAST_KERNELS(large_block_kernels, ballast::for_queues, count_block<512>)

BALLAST_KERNELS(tile_kernels, ballast::for_queues, multiply_tile)

BALLAST_KERNELS(argument_kernels, ballast::for_queues, count_with_bytes<16>, count_with_bytes<40>,
                count_with_bytes<48>, count_with_bytes<200>, count_with_bytes<1000>, count_with_bytes<4000>)

BALLAST_KERNELS(counting_kernels, ballast::for_queues, ballast::for_chen_queues, count_block<128>)

}  // namespace ballast::bench
