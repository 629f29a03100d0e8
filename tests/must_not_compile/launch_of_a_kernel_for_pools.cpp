// SPDX-License-Identifier: Apache-2.0
// Says 2 times: kernels of one thread, and those that create tasks or reduce, are for pools

#include "ballast/job_scheduler.hpp"
#include "ballast/launch_queue.hpp"

namespace launch_of_a_kernel_for_pools {

template <int>
struct mine {
  static constexpr int threads = 32;
#ifndef CORRECTED
  static constexpr unsigned spawns = 1;
#endif
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
auto launch(ballast::launch_stream& on) { return on.launch(mine<0>(), 1); }
auto submit(ballast::job_scheduler& to) {
  return to.submit({1}, [] { return mine<1>(); });
}

}
