// SPDX-License-Identifier: Apache-2.0
// Says this kernel's arguments exceed 40 bytes: list and submit it as indirect<K>

#include "ballast/task.hpp"

namespace task_of_44_bytes {

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
ballast::task made() { return ballast::task(mine()); }

}
