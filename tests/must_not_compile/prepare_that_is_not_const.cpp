// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K::prepare() cannot be called: it is const and takes the block alone

#include "in_each_list.cuh"

namespace prepare_that_is_not_const {

template <int>
struct mine {
  static constexpr int threads = 32;
  template <class Block>
#ifdef CORRECTED
  BALLAST_HD void prepare(Block&) const {
  }
#else
  BALLAST_HD void prepare(Block&) {
  }
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
