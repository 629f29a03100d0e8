// SPDX-License-Identifier: Apache-2.0
// Says 2 times: only workers of a pool keep tasks: declare `spawns` in the kernel

#include "in_each_list.cuh"

namespace spawn_outside_pools {

template <int>
struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  static constexpr std::uint32_t spawns = 1;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.spawn(*this);
  }
};
BALLAST_KERNELS(list, mine<0>)
BALLAST_KERNELS(list_for_queues, ballast::for_queues, mine<1>)

}
