// SPDX-License-Identifier: Apache-2.0
#include "launch/levelled_kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(levelled_kernels, ballast::for_launches, level_block<1>, long_block)
BALLAST_LAUNCHED(level_block<1>)
BALLAST_LAUNCHED(level_block<2>)
BALLAST_LAUNCHED(level_block<4>)
BALLAST_LAUNCHED(long_block)

}  // namespace ballast::bench
