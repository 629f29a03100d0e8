// SPDX-License-Identifier: Apache-2.0
#include "spawning_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"
#include "kernels.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(spawning_kernels, ballast::for_pools, ballast::for_queues, count_visit, add_through_scratch,
                work_then_count, wait_at_gate, add_one_plainly, spin_then_mark, fail, indirect<count_visit>,
                grow_tree, grow_comb, indirect<grow_comb>, count_leaves, indirect<count_leaves>,
                pass_count_on, meet, let_two_meet, send_to_gate, exceed_spawns, steal_and_wait, entered<64>,
                tell_worker, entered_node<64>)
BALLAST_KERNELS(spawning_kernels_of_threads, ballast::for_pools, ballast::for_queues, entered_node<1>)

}  // namespace ballast::test
