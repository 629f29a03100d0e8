// SPDX-License-Identifier: Apache-2.0
#include "device/row_kernels.cuh"

namespace ballast::bench {

BALLAST_LAUNCHED(thread_a_row<row_term<false>>)
BALLAST_LAUNCHED(thread_a_row<row_term<true>>)
BALLAST_LAUNCHED(warp_a_row<row_term<false>>)
BALLAST_LAUNCHED(warp_a_row<row_term<true>>)
BALLAST_LAUNCHED(block_a_row<row_term<false>>)
BALLAST_LAUNCHED(block_a_row<row_term<true>>)
BALLAST_LAUNCHED(share_of_rows<row_term<false>>)
BALLAST_LAUNCHED(share_of_rows<row_term<true>>)
BALLAST_LAUNCHED(rows_over_borders<row_term<false>>)
BALLAST_LAUNCHED(rows_over_borders<row_term<true>>)
BALLAST_LAUNCHED(thread_a_row<rank_term>)
BALLAST_LAUNCHED(warp_a_row<rank_term>)
BALLAST_LAUNCHED(share_of_rows<rank_term>)
BALLAST_LAUNCHED(rows_over_borders<rank_term>)
BALLAST_LAUNCHED(share_of_rows<divided_rank_term>)
BALLAST_LAUNCHED(rows_over_borders<divided_rank_term>)

}  // namespace ballast::bench
