// SPDX-License-Identifier: Apache-2.0
#include "twig_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::test {

BALLAST_KERNELS(twig_kernels, ballast::for_queues, twig, rooted_twig)

}  // namespace ballast::test
