// SPDX-License-Identifier: Apache-2.0
// Says 2 times: a set holds 1 to 126 kernels: split it

#include "ballast/kernels.cuh"

namespace list_of_127_kernels {

template <int>
struct mine {
  static constexpr int threads = 32;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

#define EIGHT(n) \
  mine<n>, mine<n + 1>, mine<n + 2>, mine<n + 3>, mine<n + 4>, mine<n + 5>, mine<n + 6>, mine<n + 7>
#define SIXTY_FOUR(n)                                                                                \
  EIGHT(n), EIGHT(n + 8), EIGHT(n + 16), EIGHT(n + 24), EIGHT(n + 32), EIGHT(n + 40), EIGHT(n + 48), \
      EIGHT(n + 56)
#ifdef CORRECTED
using queue_list = ballast::detail::kernel_list<SIXTY_FOUR(0)>;
using pool_list = ballast::detail::pool_list<SIXTY_FOUR(0)>;
#else
using queue_list = ballast::detail::kernel_list<SIXTY_FOUR(0), SIXTY_FOUR(64)>;
using pool_list = ballast::detail::pool_list<SIXTY_FOUR(0), SIXTY_FOUR(64)>;
#endif
static_assert(queue_list::threads == pool_list::threads);
#undef SIXTY_FOUR
#undef EIGHT

}
