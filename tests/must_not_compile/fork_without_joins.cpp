// SPDX-License-Identifier: Apache-2.0
// Says a kernel that makes joins declares how many: static constexpr std::uint32_t joins

#include "ballast/kernels.cuh"

namespace fork_without_joins {

struct mine {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 2;
#ifdef CORRECTED
  static constexpr std::uint32_t joins = 1;
#endif
  ballast::join_handle join;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.finish(block.fork(*this, 1));
  }
};
BALLAST_KERNELS(list, mine)

}
