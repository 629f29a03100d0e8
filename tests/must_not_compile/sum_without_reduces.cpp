// SPDX-License-Identifier: Apache-2.0
// Says a kernel that adds to its run's sum or raises its maximum declares static constexpr bool
// reduces = true

#include "ballast/kernels.cuh"

namespace sum_without_reduces {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  static constexpr bool reduces = true;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.add_to_sum(block.index());
  }
};
BALLAST_KERNELS(list, ballast::for_pools, mine)

}
