// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"
#include "reduction_results.hpp"

namespace ballast::test {

kernel_set const& reducing_kernels();  // reduction_kernels.cu

namespace {

TEST(reductions_in_a_queue, have_the_same_bits_as_by_one_thread) {
  reduction_results const in_a_row(first_device()), as_a_grid(first_device());
  task_queue queue(first_device(), reducing_kernels(), test_options());
  queue.submit(task(in_a_row.kernel<64>(), {0, reduced_cases}));
  queue.submit(grid_task(task(as_a_grid.kernel<64>(), {0, reduced_cases})));
  queue.close();
  in_a_row.expect_right();
  as_a_grid.expect_right();
}

}  // namespace
}  // namespace ballast::test
