// SPDX-License-Identifier: Apache-2.0
// Says the last argument is a factory, which returns the kernel

#include "ballast/job_scheduler.hpp"

namespace job_without_a_factory {

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
  array.size();
  return to.submit({1});
#endif
}

}
