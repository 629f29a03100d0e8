// SPDX-License-Identifier: Apache-2.0
#include "nullable_forces.cuh"

#include "ballast/kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(nullable_kernels, ballast::for_queues, nullable_forces)

}  // namespace ballast::bench
