// SPDX-License-Identifier: Apache-2.0
// Says addresses() visits what is no address: visit members that are array_ref, array_view, result_ref or
// pointers, and leave out the others

#include "in_each_list.cuh"

namespace addresses_that_visit_a_number {

struct mine {
  static constexpr int threads = 32;
  ballast::array_ref<float> out;
  float factor;
  template <class Visit>
  void addresses(Visit&& visit) {
    visit(out);
#ifndef CORRECTED
    visit(factor);
#endif
  }
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
BALLAST_KERNELS(list, ballast::for_jobs, mine)

}
