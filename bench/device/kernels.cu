// SPDX-License-Identifier: Apache-2.0
#include "device/kernels.cuh"

namespace ballast::bench {

BALLAST_LAUNCHED(compare_clocks)
BALLAST_LAUNCHED(copy_words)
BALLAST_LAUNCHED(copy_array)
BALLAST_LAUNCHED(add_to_words)
BALLAST_LAUNCHED(start_block)

}  // namespace ballast::bench
