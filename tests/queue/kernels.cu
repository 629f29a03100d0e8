// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/methods/chen_kernels.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(kernels, ballast::for_queues, ballast::for_chen_queues, count_visit, add_through_scratch,
                work_then_count, wait_at_gate, add_one_plainly, spin_then_mark, fail, indirect<count_visit>,
                entered<64>, tell_worker, write_place, advance_word, add_nodes_before)

}  // namespace ballast::test
