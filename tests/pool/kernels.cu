// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/detail/device/compile_kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(pool_test_kernels, ballast::for_jobs, share_abp, share_chase_lev, share_ring)

}  // namespace ballast::test
