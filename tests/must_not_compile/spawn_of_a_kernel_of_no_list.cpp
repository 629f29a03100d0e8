// SPDX-License-Identifier: Apache-2.0
// Says the child's kernel is not in the set of its creator: add it there

#include "ballast/kernels.cuh"

namespace spawn_of_a_kernel_of_no_list {

struct child {
  static constexpr int threads = 32;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
struct mine {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 2;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.spawn(child());
  }
};
#ifdef CORRECTED
BALLAST_KERNELS(list, mine, child)
#else
BALLAST_KERNELS(list, mine)
#endif

}
