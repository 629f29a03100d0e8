// SPDX-License-Identifier: Apache-2.0
// Says 6 times: K is not trivially copyable: its members travel as bytes, so give it array_ref and numbers

#include "in_each_list.cuh"

namespace kernel_with_a_string {

template <int>
struct mine {
  static constexpr int threads = 32;
#ifdef CORRECTED
  std::array<char, 8> name;
#else
  std::string name;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
IN_EACH_LIST(mine)

}
