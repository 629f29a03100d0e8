// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_queue.hpp"

#include <thread>

#include "ballast/error.hpp"
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(launch_queue, runs_one_kernel_and_tells_its_end) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(5);
  auto line = queue.make_launch_stream();
  auto const ticket = line.launch(count_visits{visits.ref()}, 5);
  ticket.wait_finished();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(5, 1));
  EXPECT_TRUE(ticket.is_issued());
  EXPECT_EQ(queue.statistics().kernels, 1u);
}

TEST(launch_statistics, list_each_count_under_its_own_name) {
  launch_statistics did;
  did.launches = 1, did.kernels = 2, did.merged_launches = 3, did.merged_kernels = 4, did.chained_kernels = 5;
  did.issued_by_producers = 6, did.graphs_built = 7, did.graph_launches = 8, did.graph_kernels = 9;
  did.graph_arguments_set = 10;
  std::vector<std::string_view> const names = {"launches",           "kernels",         "merged_launches",
                                               "merged_kernels",     "chained_kernels", "issued_by_producers",
                                               "graphs_built",       "graph_launches",  "graph_kernels",
                                               "graph_arguments_set"};
  auto const all = did.listed();
  ASSERT_EQ(all.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(all[i].name, names[i]);
    EXPECT_EQ(all[i].count, i + 1);
  }
}

}  // namespace
}  // namespace ballast::test
