// SPDX-License-Identifier: Apache-2.0
#include "peer_kernels.cuh"

#include "ballast/methods/pool_methods.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(fibonacci_above_kernels, ballast::for_pools_over_devices, fibonacci_above, fibonacci_sum)
BALLAST_KERNELS(queens_kernels, ballast::for_pool_methods, queens_task)
BALLAST_KERNELS(formula_kernels, ballast::for_pool_methods, formula_task)
BALLAST_KERNELS(summing_formula_kernels, ballast::for_pools_over_devices, summing_formula_task)
BALLAST_KERNELS(summing_queens_kernels, ballast::for_pools_over_devices, summing_queens_task)
BALLAST_KERNELS(summing_fibonacci_kernels, ballast::for_pools_over_devices, summing_fibonacci_task)

}  // namespace ballast::bench
