// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_kernels.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_LAUNCH_KERNELS(reducing_kernels, reduce_cases<96>, warp_cases<96>)

}  // namespace ballast::test
