// SPDX-License-Identifier: Apache-2.0
#include "nullable_forces.cuh"

#include "ballast/queue_kernels.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(nullable_kernels, nullable_forces)

}  // namespace ballast::bench
