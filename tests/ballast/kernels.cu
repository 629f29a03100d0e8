// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(plain_kernels, add<64>)
BALLAST_KERNELS(unequal_kernels, add<64>, add<96>)
BALLAST_KERNELS(large_kernels, add<64>, add<64, 300>)
BALLAST_KERNELS(preparing_kernels, add_prepared)
BALLAST_KERNELS(spawning_kernels, tree_node<false>, add_prepared)
BALLAST_KERNELS(summing_kernels, tree_node<true>)
BALLAST_KERNELS(counting_kernels, count_shares, count_carries, count_pieces)
BALLAST_KERNELS(kernels_for_queues, ballast::for_queues, add<64>)
BALLAST_KERNELS(kernels_for_nothing, ballast::for_jobs, add<64>)

}  // namespace ballast::test
