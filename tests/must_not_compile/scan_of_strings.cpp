// SPDX-License-Identifier: Apache-2.0
// Says the values are not trivially copyable, or not made from nothing: threads exchange them as bytes

#include <string>

#include "ballast/kernels.cuh"

namespace scan_of_strings {

#ifdef CORRECTED
using letters = char;
#else
using letters = std::string;
#endif

struct mine {
  static constexpr int threads = 32;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.scan(
        9, letters(), [](std::uint32_t) { return letters(); }, ballast::plus(),
        [](std::uint32_t, letters const&) {});
  }
};
BALLAST_KERNELS(list, ballast::for_pools, mine)

}
