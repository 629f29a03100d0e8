// SPDX-License-Identifier: Apache-2.0
// Says no matching function for call to | no matching conversion for functional-style cast from

#include "ballast/task.hpp"

namespace task_of_what_is_no_kernel {

struct mine {
#ifdef CORRECTED
  static constexpr int threads = 32;
#else
  int threads = 32;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
ballast::task made() { return ballast::task(mine()); }

}
