// SPDX-License-Identifier: Apache-2.0
#include "device/attention_kernels.cuh"

namespace ballast::bench {

BALLAST_LAUNCHED(invent_halves)
BALLAST_LAUNCHED(attend)

}  // namespace ballast::bench
