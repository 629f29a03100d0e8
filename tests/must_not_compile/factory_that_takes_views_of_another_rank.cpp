// SPDX-License-Identifier: Apache-2.0
// Says or an array_view<T, Rank> for each

#include "ballast/array_view.cuh"
#include "ballast/job_scheduler.hpp"

namespace factory_that_takes_views_of_another_rank {

struct mine {
  static constexpr int threads = 32;
  ballast::array_ref<float const> in;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
#ifdef CORRECTED
using view = ballast::array_view<float const, 2>;
#else
using view = ballast::array_view<float const, 3>;
#endif
auto submit(ballast::job_scheduler& to, ballast::shared_array<float, 2>& array) {
  return to.submit({1}, reads(array),
                   [](view in) { return mine{ballast::array_ref<float const>(in.data())}; });
}

}
