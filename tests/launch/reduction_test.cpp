// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"
#include "reduction_results.hpp"

namespace ballast::test {

kernel_set const& reducing_kernels();  // reduction_kernels.cu

namespace {

TEST(reductions_in_a_launch, have_the_same_bits_also_where_launches_are_merged) {
  for (std::string const order : {"passthrough", "held", "resident"}) {
    auto const on = first_device();
    reduction_results const first(on[0]), second(on[0]);
    launch_queue queue(on, reducing_kernels(), {.order = order});
    auto one = queue.make_launch_stream(), other = queue.make_launch_stream();
    one.launch(first.kernel<96>(), reduced_cases);
    other.launch(second.kernel<96>(), reduced_cases);
    queue.wait_all();
    first.expect_right();
    second.expect_right();
  }
}

}  // namespace
}  // namespace ballast::test
