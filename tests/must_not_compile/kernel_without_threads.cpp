// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K declares no `static constexpr int threads`

#include "in_each_list.cuh"

namespace kernel_without_threads {

template <int>
struct mine {
#ifdef CORRECTED
  static constexpr int threads = 32;
#else
  int threads;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
