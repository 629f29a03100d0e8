// SPDX-License-Identifier: Apache-2.0
// Says could not convert | no viable conversion from

#include "ballast/policy/merge.hpp"

namespace multiprocessors_for_blocks {

std::uint64_t levels() {
#ifdef CORRECTED
  return ballast::level_number(8, ballast::multiprocessor_count(132));
#else
  return ballast::level_number(132, 8);
#endif
}

}
