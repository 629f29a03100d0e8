// SPDX-License-Identifier: Apache-2.0
// Says 4 times: kernels of one thread are for task pools: list them in BALLAST_POOL_KERNELS

#include "in_each_list.cuh"

namespace kernel_of_one_thread_outside_pools {

template <int>
struct mine {
#ifdef CORRECTED
  static constexpr int threads = 32;
#else
  static constexpr int threads = 1;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST_OUTSIDE_POOLS(mine)

}
