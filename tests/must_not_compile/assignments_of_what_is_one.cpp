// SPDX-License-Identifier: Apache-2.0
// Says 10 times: use of deleted function | overload resolution selected deleted operator '='

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/mesi/variable.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"

namespace assignments_of_what_is_one {

template <class T>
void assigns(T& one, T const& other) {
#ifdef CORRECTED
  (void)one, (void)other;
#else
  one = other;
#endif
}
template void assigns(ballast::compute_device&, ballast::compute_device const&);
template void assigns(ballast::mesi::variable_state&, ballast::mesi::variable_state const&);
template void assigns(ballast::task_queue&, ballast::task_queue const&);
template void assigns(ballast::balanced_queue&, ballast::balanced_queue const&);
template void assigns(ballast::chen_queue&, ballast::chen_queue const&);
template void assigns(ballast::task_pool&, ballast::task_pool const&);
template void assigns(ballast::launch_queue&, ballast::launch_queue const&);
template void assigns(ballast::job_scheduler&, ballast::job_scheduler const&);
template void assigns(ballast::kernel_set&, ballast::kernel_set const&);
template void assigns(ballast::detail::nvtx_range&, ballast::detail::nvtx_range const&);

}
