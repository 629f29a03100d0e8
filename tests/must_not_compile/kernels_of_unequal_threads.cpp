// SPDX-License-Identifier: Apache-2.0
// Says 4 times: the kernels of a set have equal threads: make a set for each number of threads

#include "in_each_list.cuh"

namespace kernels_of_unequal_threads {

template <int N>
struct mine {
#ifdef CORRECTED
  static constexpr int threads = 32;
#else
  static constexpr int threads = N % 2 == 0 ? 32 : 64;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_KERNELS(list_for_queues, ballast::for_queues, mine<0>, mine<1>)
BALLAST_KERNELS(list_for_chen, ballast::for_chen_queues, mine<2>, mine<3>)
BALLAST_KERNELS(list_for_methods, ballast::for_pool_methods, mine<4>, mine<5>)
BALLAST_KERNELS(list_for_pools, ballast::for_pools, mine<6>, mine<7>)

}
