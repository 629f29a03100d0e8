// SPDX-License-Identifier: Apache-2.0
#include "device/row_kernels.cuh"

namespace ballast::bench {

BALLAST_LAUNCHED(thread_a_row<false>)
BALLAST_LAUNCHED(thread_a_row<true>)
BALLAST_LAUNCHED(warp_a_row<false>)
BALLAST_LAUNCHED(warp_a_row<true>)
BALLAST_LAUNCHED(block_a_row<false>)
BALLAST_LAUNCHED(block_a_row<true>)
BALLAST_LAUNCHED(share_of_rows<false>)
BALLAST_LAUNCHED(share_of_rows<true>)
BALLAST_LAUNCHED(rows_over_borders)

}  // namespace ballast::bench
