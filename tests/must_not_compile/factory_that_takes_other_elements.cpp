// SPDX-License-Identifier: Apache-2.0
// Says the factory takes an array_ref<T> for each array, and array_ref<T const> for reads()

#include "ballast/job_scheduler.hpp"

namespace factory_that_takes_other_elements {

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
  return to.submit({1}, reads(array), [](ballast::array_ref<float> in) {
    return mine{ballast::array_ref<float const>(in.data())};
  });
#endif
}

}
