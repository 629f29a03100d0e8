// SPDX-License-Identifier: Apache-2.0
// Says all arguments but the last are reads(), writes(), writes_some() or updates()

#include "ballast/job_scheduler.hpp"

namespace job_with_an_array_without_access {

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
  return to.submit({1}, array, [](ballast::array_ref<float const> in) { return mine{in}; });
#endif
}

}
