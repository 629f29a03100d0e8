// SPDX-License-Identifier: Apache-2.0
#include "nullable_forces.cuh"

#include "ballast/queue/kernels.cuh"

namespace ballast::bench {

BALLAST_KERNELS(nullable_kernels, nullable_forces)

}  // namespace ballast::bench
