// SPDX-License-Identifier: Apache-2.0
#include "ballast/queue_kernels.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_KERNELS(reducing_kernels, reduce_cases<64>)

}  // namespace ballast::test
