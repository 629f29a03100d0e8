// SPDX-License-Identifier: Apache-2.0
// Says K says that it travels by value, and has addresses(): leave out one of them

#include "in_each_list.cuh"

namespace addresses_of_what_travels_by_value {

struct mine {
  static constexpr int threads = 32;
#ifndef CORRECTED
  static constexpr bool travels_by_value = true;
#endif
  ballast::array_ref<float> out;
  template <class Visit>
  void addresses(Visit&& visit) {
    visit(out);
  }
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_KERNELS(list, ballast::for_jobs, mine)

}
