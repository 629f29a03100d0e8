// SPDX-License-Identifier: Apache-2.0
// Says 4 times: a task holds 40 bytes of arguments: list a larger kernel as indirect<K>

#include "in_each_list.cuh"

namespace kernel_of_44_bytes_for_tasks {

template <int>
struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  unsigned char bytes[40];
#else
  unsigned char bytes[44];
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
