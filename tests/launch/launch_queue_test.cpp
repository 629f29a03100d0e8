// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/launch_queue.hpp"

#include <thread>

#include "ballast/base/error.hpp"
#include "fixture.hpp"

namespace ballast::test {
namespace {

TEST(launch_queue, runs_one_kernel_and_tells_its_end) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(5);
  auto line = queue.make_producer();
  auto const ticket = line.launch(count_visits{visits.ref()}, 5);
  ticket.wait_finished();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(5, 1));
  EXPECT_TRUE(ticket.is_issued());
  EXPECT_EQ(queue.statistics().kernels, 1u);
}

}  // namespace
}  // namespace ballast::test
