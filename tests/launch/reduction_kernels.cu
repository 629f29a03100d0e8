// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/compile_launch.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_KERNELS(reducing_kernels, ballast::for_launches, reduce_cases<96>, warp_cases<96>)

}  // namespace ballast::test
