// SPDX-License-Identifier: Apache-2.0
// Says a kernel that calls finish() may create the continuation: count it in K::spawns

#include "ballast/kernels.cuh"

namespace finish_without_spawns {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  static constexpr std::uint32_t spawns = 2;
#endif
  ballast::join_handle join;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.finish(join);
  }
};
BALLAST_KERNELS(list, ballast::for_pools, mine)

}
