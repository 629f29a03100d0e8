// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/detail/launch/compile_launch.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(kernels, ballast::for_launches, count_visits, append_to_log, mix_items, scale_items,
                wait_at_gate, count_visits_widely, fault, arrive_at_gate, count_workers)

}  // namespace ballast::test
