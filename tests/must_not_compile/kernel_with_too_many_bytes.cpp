// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K has more bytes of members than this set allows: list it as indirect<K>
// Shows kernel_of_bytes<kernel_with_too_many_bytes::mine<3>, 4096, 4000>

#include "in_each_list.cuh"

namespace kernel_with_too_many_bytes {

template <int>
struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  unsigned char bytes[40];
#else
  unsigned char bytes[4096];
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
