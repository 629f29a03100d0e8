// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_tasks.cuh"

#include "ballast/kernels.cuh"
#include "queue/graph_rivals.cuh"

namespace ballast::bench {
using namespace detail;

BALLAST_KERNELS(align_kernels, ballast::for_queues, align_tile)

BALLAST_KERNELS(factor_float_kernels, ballast::for_queues, factor_tile_of_floats)

BALLAST_KERNELS(factor_double_kernels, ballast::for_queues, factor_tile_of_doubles,
                factor_small_tile_of_doubles)

BALLAST_KERNELS(solve_row_kernels, ballast::for_queues, solve_rows_at_once, solve_rows)

BALLAST_LAUNCHED(all_levels<align_tile>)
BALLAST_LAUNCHED(all_levels<factor_tile_of_floats>)
BALLAST_LAUNCHED(all_levels<factor_tile_of_doubles>)
BALLAST_LAUNCHED(all_levels<factor_small_tile_of_doubles>)
BALLAST_LAUNCHED(all_levels<solve_rows_at_once>)
BALLAST_LAUNCHED(all_levels<solve_rows>)

}  // namespace ballast::bench
