// SPDX-License-Identifier: Apache-2.0
#include "cluster_kernels.cuh"

#if !BALLAST_ON_GPU
#  include <stdexcept>
#endif

#include "ballast/detail/queue/compile_queue.cuh"
#include "visiting_kernels.cuh"

namespace ballast::test {

/// The fault of a device: a trap on a GPU, an exception on the host.
struct fail_here {
  static constexpr int threads = 64;
  static constexpr bool travels_by_value = true;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if BALLAST_ON_GPU
    __trap();
#else
    throw std::runtime_error("planted fault");
#endif
  }
};

struct say_nothing {
  static constexpr int threads = 64;
  std::uint32_t* words;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

BALLAST_KERNELS(cluster_kernels, ballast::for_queues, tally, repeatable_tally, large_tally, wait_at_gate,
                idle, fail_here, say_nothing)
BALLAST_KERNELS(other_cluster_kernels, ballast::for_queues, tally, large_tally, repeatable_tally,
                wait_at_gate, idle, fail_here, say_nothing)
BALLAST_KERNELS(visiting_kernels, ballast::for_queues, count_visit, add_through_scratch, work_then_count,
                wait_at_gate)
BALLAST_KERNELS(page_kernels, ballast::for_queues, fill_a_page, fill_eight_pages)

task failing_task() { return task(fail_here{}); }
task silent_task() { return task(say_nothing{nullptr}); }

}  // namespace ballast::test
