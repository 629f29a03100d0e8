// SPDX-License-Identifier: Apache-2.0
// Says a kernel that creates tasks declares how many: static constexpr std::uint32_t spawns

#include "ballast/kernels.cuh"

namespace spawn_without_spawns {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  static constexpr std::uint32_t spawns = 2;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.spawn(*this);
  }
};
BALLAST_KERNELS(list, ballast::for_pools, mine)

}
