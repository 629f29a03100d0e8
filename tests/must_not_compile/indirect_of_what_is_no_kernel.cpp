// SPDX-License-Identifier: Apache-2.0
// Says template constraint failure for | constraints not satisfied for class template

#include <string>
#include "ballast/kernel.cuh"

namespace indirect_of_what_is_no_kernel {

struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  char name[8];
#else
  std::string name;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
using listed = ballast::indirect<mine>;
static_assert(listed::threads == 32);

}
