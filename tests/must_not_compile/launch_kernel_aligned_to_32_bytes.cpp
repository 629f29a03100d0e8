// SPDX-License-Identifier: Apache-2.0
// Says this kernel's members are aligned to more than 16 bytes: list it as indirect<K>

#include "ballast/launch_kernels.cuh"

namespace launch_kernel_aligned_to_32_bytes {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  alignas(16) float values[8];
#else
  alignas(32) float values[8];
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_LAUNCH_KERNELS(list, mine)

}
