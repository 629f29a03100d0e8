// SPDX-License-Identifier: Apache-2.0
// Says kernels that reduce are for pools, not for queues

#include "ballast/kernels.cuh"

namespace sum_in_a_queue {

struct mine {
  static constexpr int threads = 32;
#ifndef CORRECTED
  static constexpr bool reduces = true;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_KERNELS(list, ballast::for_queues, mine)

}
