// SPDX-License-Identifier: Apache-2.0
// Says 11 times: use of deleted function | call to deleted constructor of | call to implicitly-deleted copy

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/mesi/variable.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"

namespace copies_of_what_is_one {

template <class T>
void copies(T& one) {
#ifdef CORRECTED
  [[maybe_unused]] T& other(one);
#else
  [[maybe_unused]] T other(one);
#endif
}
template void copies(ballast::task_queue&);
template void copies(ballast::balanced_queue&);
template void copies(ballast::chen_queue&);
template void copies(ballast::task_pool&);
template void copies(ballast::launch_queue&);
template void copies(ballast::job_scheduler&);
template void copies(ballast::kernel_set&);
template void copies(ballast::detail::nvtx_range&);
template void copies(ballast::launch_stream&);
template void copies(ballast::shared_array<float>&);
template void copies(ballast::device_buffer<float>&);

}
