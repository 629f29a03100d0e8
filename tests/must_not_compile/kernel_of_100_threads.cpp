// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K::threads is not legal: 1, or a multiple of 32 up to 1024
// Shows kernel_of_threads<kernel_of_100_threads::mine<0>, 100>

#include "in_each_list.cuh"

namespace kernel_of_100_threads {

template <int>
struct mine {
#ifdef CORRECTED
  static constexpr int threads = 96;
#else
  static constexpr int threads = 100;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
