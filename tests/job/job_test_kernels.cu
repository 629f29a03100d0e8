// SPDX-License-Identifier: Apache-2.0
#include "job_test_kernels.cuh"

#include "ballast/detail/device/compile_kernels.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(kernels, ballast::for_jobs, count_visits, count_beside, mix_rows, add_all, mark_even,
                copy_behind_gate, count_items, fault, add_one_to_slices, write_and_see, check_worker,
                turn_rows, add_weight)

}  // namespace ballast::test
