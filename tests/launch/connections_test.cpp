// SPDX-License-Identifier: Apache-2.0
// Hardware connections: what a queue counts on, and what it refuses.
#include <gmock/gmock.h>

#include "ballast/device.hpp"
#include "fixture.hpp"
#include "pretended_gpu.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::HasSubstr;

device_list a_gpu() { return {std::make_shared<pretended_gpu>()}; }

TEST(launch_queue, tells_of_each_device_how_many_hardware_connections_it_counts_on) {
  auto of_each = devices();
  of_each.push_back(std::make_shared<pretended_gpu>());
  std::vector<std::uint32_t> expected;
  for (auto const& device : of_each)
    expected.push_back(device->is_cuda() ? process_connections().count : max_streams);
  EXPECT_EQ(launch_queue(of_each, kernels()).statistics().connections, expected);
}

TEST(launch_queue, takes_a_demand_for_the_connections_that_the_process_has) {
  auto const has = process_connections().count;
  launch_queue const queue(a_gpu(), {.connections = has});
  EXPECT_EQ(queue.statistics().connections, std::vector{has});
}

TEST(launch_queue, refuses_a_demand_for_other_connections_with_how_to_get_them) {
  auto const has = process_connections().count;
  auto const wanted = has == 32 ? 16 : 32;
  try {
    launch_queue const taken(a_gpu(), {.connections = std::uint32_t(wanted)});
    ADD_FAILURE() << "it was taken";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "connections");
    EXPECT_EQ(refusal.value(), std::to_string(wanted));
    EXPECT_THAT(refusal.legal(), AllOf(HasSubstr(std::to_string(has)),
                                       HasSubstr("request_connections(" + std::to_string(wanted) + ")")));
  }
}

TEST(launch_queue, refuses_more_connections_than_cuda_has_on_any_device) {
  EXPECT_EQ(refused_argument([] { launch_queue(first_device(), {.connections = 33}); }), "connections");
}

TEST(launch_queue, of_cores_takes_any_number_of_connections) {
  for (std::uint32_t const wanted : {1u, 32u})
    EXPECT_EQ(launch_queue(open_devices("host:1"), {.connections = wanted}).statistics().connections,
              std::vector{max_streams});
}

TEST(launch_queue, tries_direct_issues_on_a_gpu_if_there_are_connections_for_eight_streams) {
  shared_words const visits(1);
  launch_queue queue(a_gpu(), kernels(), {.merge = "none", .rings = false});
  auto line = queue.make_launch_stream();
  bool is_tried = false;
  constexpr int launches_of_windows = 100'000;  // by far: a window is of some hundred
  for (int i = 0; i < launches_of_windows && !is_tried; ++i) {
    line.launch(count_visits{visits.ref()}, 1).wait();
    is_tried = queue.statistics().dispatch_modes.front() == "direct";
  }
  EXPECT_EQ(is_tried, process_connections().count >= 8);
}

}  // namespace
}  // namespace ballast::test
