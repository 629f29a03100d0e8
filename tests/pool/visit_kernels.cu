// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/compile_pool.cuh"
#include "visit.cuh"

namespace ballast::test {

BALLAST_KERNELS(visit_kernels, ballast::for_pools, visit)

}  // namespace ballast::test
