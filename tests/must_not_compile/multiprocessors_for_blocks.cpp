// SPDX-License-Identifier: Apache-2.0
// Says could not convert | no viable conversion from

#include "ballast/detail/launch/merge_policy.hpp"

namespace multiprocessors_for_blocks {

std::uint64_t levels() {
#ifdef CORRECTED
  return ballast::detail::level_number(8, ballast::detail::multiprocessor_count(132));
#else
  return ballast::detail::level_number(132, 8);
#endif
}

}
