// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K::scratch is not trivially copyable: it is raw shared memory, so give it arrays and numbers

#include "in_each_list.cuh"

namespace scratch_with_a_string {

template <int>
struct mine {
  static constexpr int threads = 32;
  struct scratch {
#ifdef CORRECTED
    std::array<char, 8> name;
#else
    std::string name;
#endif
  };
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
