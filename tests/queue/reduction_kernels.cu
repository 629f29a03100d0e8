// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/queue/compile_queue.cuh"
#include "kernels.cuh"
#include "reductions.cuh"

namespace ballast::test {

BALLAST_KERNELS(reducing_kernels, ballast::for_queues, reduce_cases<64>, step_until_asked)

}  // namespace ballast::test
