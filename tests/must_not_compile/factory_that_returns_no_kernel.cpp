// SPDX-License-Identifier: Apache-2.0
// Says the factory returns, by value, a kernel or what plain() makes

#include "ballast/job_scheduler.hpp"

namespace factory_that_returns_no_kernel {

struct mine {
  static constexpr int threads = 32;
  ballast::array_ref<float const> in;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
auto submit(ballast::job_scheduler& to, ballast::shared_array<float>& array) {
#ifdef CORRECTED
  return to.submit({1}, reads(array), [](ballast::array_ref<float const> in) { return mine{in}; });
#else
  return to.submit({1}, reads(array), [](ballast::array_ref<float const>) { return 1; });
#endif
}

}
