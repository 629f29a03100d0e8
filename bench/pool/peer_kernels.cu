// SPDX-License-Identifier: Apache-2.0
#include "peer_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_POOL_KERNELS(fibonacci_above_kernels, fibonacci_above, fibonacci_sum)
BALLAST_POOL_KERNELS_WITH_METHODS(queens_kernels, queens_task)
BALLAST_POOL_KERNELS(formula_kernels, formula_task)
BALLAST_POOL_KERNELS(summing_formula_kernels, summing_formula_task)

}  // namespace ballast::bench
