// SPDX-License-Identifier: Apache-2.0
#include "graph_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(graph_kernels, ballast::for_queues, mix_predecessors, prepare_and_mix, count_visit,
                wait_at_gate, fail, mix_by_reference, visit_and_wait, prepare_and_visit, prepare_and_wait)

}  // namespace ballast::test
