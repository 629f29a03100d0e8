// SPDX-License-Identifier: Apache-2.0
// Says it has at most 40 bytes of members, and is not listed as indirect<K>; queues whose tasks create tasks
// ignore the key

#include "ballast/kernels.cuh"

namespace order_key_of_a_kernel_of_44_bytes {

struct mine {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = 2;
  unsigned char bytes[44];
#ifndef CORRECTED
  BALLAST_HD std::uint32_t order_key() const { return bytes[0]; }
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_KERNELS(list, ballast::for_queues, mine)

}
