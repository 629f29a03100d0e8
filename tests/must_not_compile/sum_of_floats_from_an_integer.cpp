// SPDX-License-Identifier: Apache-2.0
// Says the initial value decides the type, and its type cannot hold what is combined: begin with 0.0f for
// floats

#include "ballast/kernels.cuh"

namespace sum_of_floats_from_an_integer {

struct mine {
  static constexpr int threads = 32;
  ballast::array_ref<float> x;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
#ifdef CORRECTED
    float const first = 0;
#else
    int const first = 0;
#endif
    block.reduce(256, first, [&](std::uint32_t i) { return x[i]; });
  }
};
BALLAST_KERNELS(list, ballast::for_pools, mine)

}
