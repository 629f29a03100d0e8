// SPDX-License-Identifier: Apache-2.0
// Says the initial value decides the type, and its type cannot hold what is combined

#include "ballast/kernels.cuh"
#include "ballast/segments.cuh"

namespace segments_of_wider_values {

#ifdef CORRECTED
using number = double;
#else
using number = float;
#endif

struct mine {
  static constexpr int threads = 32;
  using scratch = ballast::share_memory<number>;
  ballast::segments<number> rows;
  ballast::array_ref<double> x, y;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    ballast::reduce_segments(
        block, block.scratch(), rows, block.index(), 0, [&](std::uint32_t i) { return x[i]; },
        ballast::plus(), [&](std::uint32_t row, number sum) { y[row] = double(sum); });
  }
};
BALLAST_KERNELS(list, ballast::for_launches, mine)

}
