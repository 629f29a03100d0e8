// SPDX-License-Identifier: Apache-2.0
// Says a task of a chen_queue holds 40 bytes of arguments: list a larger kernel as indirect<K>

#include "ballast/methods/chen_kernels.cuh"

namespace kernel_of_44_bytes_for_chen_queues {

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
BALLAST_KERNELS(list, ballast::for_queues, ballast::for_chen_queues, mine)

}
