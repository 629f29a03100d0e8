// SPDX-License-Identifier: Apache-2.0
// Says 3 times: kernels of one thread, and those that create tasks or reduce, are for pools

#include "in_each_list.cuh"

namespace kernels_for_pools_outside_pools {

struct of_one_thread {
  static constexpr int threads = 1;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
struct spawning {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 1;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.spawn(*this);
  }
};
struct reducing {
  static constexpr int threads = 32;
  static constexpr bool reduces = true;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.add_to_sum(1);
  }
};
#ifdef CORRECTED
BALLAST_KERNELS(list_for_queues, ballast::for_queues, spawning)
BALLAST_KERNELS(list_for_pools, ballast::for_pools, reducing)
BALLAST_KERNELS(list_for_both, of_one_thread)
#else
BALLAST_KERNELS(list_for_chen, ballast::for_chen_queues, of_one_thread)
BALLAST_KERNELS(list_for_launches, ballast::for_launches, spawning)
BALLAST_KERNELS(list_for_jobs, ballast::for_jobs, reducing)
#endif

}
