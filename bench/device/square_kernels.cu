// SPDX-License-Identifier: Apache-2.0
#include "device/squares.cuh"

namespace ballast::bench {

BALLAST_LAUNCHED(square_a_matrix)

}  // namespace ballast::bench
