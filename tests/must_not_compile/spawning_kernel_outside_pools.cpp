// SPDX-License-Identifier: Apache-2.0
// Says 4 times: kernels that create tasks are for BALLAST_SPAWNING_KERNELS and BALLAST_POOL_KERNELS

#include "in_each_list.cuh"

namespace spawning_kernel_outside_pools {

template <int>
struct mine {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.spawn(*this);
  }
};
#ifdef CORRECTED
BALLAST_SPAWNING_KERNELS(list_for_queues, mine<0>)
BALLAST_POOL_KERNELS(list_for_pools, mine<0>)
#else
IN_EACH_LIST_OUTSIDE_POOLS(mine)
#endif

}
