// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.cuh"

#include "ballast/detail/device/compile_kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(reducing_kernels, ballast::for_jobs, count_by_reduction)

}  // namespace ballast::test
