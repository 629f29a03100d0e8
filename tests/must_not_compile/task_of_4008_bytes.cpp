// SPDX-License-Identifier: Apache-2.0
// Says this kernel's members exceed 4000 bytes: list and submit it as indirect<K>

#include "ballast/task.hpp"

namespace task_of_4008_bytes {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  unsigned char bytes[4000];
#else
  unsigned char bytes[4008];
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
ballast::task made() { return ballast::task(mine()); }

}
