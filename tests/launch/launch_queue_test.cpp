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
  auto const done = line.launch(count_visits{visits.ref()}, 5);
  done.wait();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(5, 1));
  EXPECT_TRUE(line.is_issued());
  EXPECT_EQ(queue.statistics().kernels, 1u);
}

TEST(worker_of_a_launch_queue, is_a_block_of_the_launchs_own_grid_also_where_launches_are_merged) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t blocks = 1; blocks <= 40; ++blocks) expected.insert(expected.end(), blocks, blocks);
  for (std::string const order : {"passthrough", "held", "resident"}) {
    launch_queue queue(first_device(), kernels(), {.order = order});
    shared_words const words(expected.size());
    std::vector<launch_stream> lines;
    std::uint32_t first = 0;
    for (std::uint32_t blocks = 1; blocks <= 40; first += blocks++)
      lines.emplace_back(queue.make_launch_stream()).launch(count_workers{words.ref().from(first)}, blocks);
    queue.wait_all();
    EXPECT_EQ(words.read(), expected) << order;
  }
}

TEST(launch_queue, puts_each_launch_stream_where_that_has_the_most_multiprocessors_to_itself) {
  auto const both = open_devices("host:1,host:3");
  launch_queue queue(both, kernels());
  std::vector<launch_stream> lines;
  std::vector<std::size_t> chosen;
  for (int i = 0; i < 4; ++i) {
    lines.push_back(queue.make_launch_stream());
    chosen.push_back(&lines.back().device() == both[1].get());
  }
  EXPECT_EQ(chosen, (std::vector<std::size_t>{1, 1, 0, 1}));
}

TEST(launch_statistics, tell_the_dispatch_mode_of_each_device) {
  auto const of = [](std::string const& order) {
    return launch_queue(devices(), kernels(), {.order = order}).statistics().dispatch_modes;
  };
  EXPECT_EQ(of("held"), std::vector<std::string_view>(devices().size(), "queued")) << "it never changes";
  EXPECT_EQ(of("resident"), std::vector<std::string_view>(devices().size(), "resident"));
  EXPECT_EQ(of("adaptive").size(), devices().size());
}

/// How many of nine launches of one launch stream, of which the first stays in flight, it issued itself,
/// after one by which it is known to be alone.
std::uint64_t issued_behind_its_own(launch_options const& options) {
  launch_queue queue(open_devices("host:2"), kernels(), options);
  shared_words const gate(1), visits(1);
  auto line = queue.make_launch_stream();
  line.launch(count_visits{visits.ref()}, 1).wait();
  queue.statistics();  // returns when the dispatcher has done all about that launch
  line.launch(wait_at_gate{gate.ref()}, 1);
  for (int i = 0; i < 8; ++i) line.launch(count_visits{visits.ref()}, 1);
  auto const issued = queue.statistics().direct_launches;
  gate.open();
  queue.wait_all();
  EXPECT_EQ(visits[0], 9u);
  return issued;
}

TEST(launch_queue_of_cores, keeps_what_waits_for_its_predecessor_until_it_may_be_merged) {
  EXPECT_EQ(issued_behind_its_own({}), 1u);
  EXPECT_EQ(issued_behind_its_own({.merge = "none"}), 9u);
}

TEST(launch_queue_of_cores, merges_without_a_trial_of_other_modes) {
  launch_queue queue(open_devices("host:1"), kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 3000; ++i) line.launch(count_visits{visits.ref()}, 1);  // five windows of a trial
  queue.wait_all();
  EXPECT_EQ(visits[0], 3000u);
  EXPECT_EQ(queue.statistics().dispatch_modes, std::vector<std::string_view>{"queued"});
}

TEST(launch_queue_of_cores, tells_by_which_costs_it_decides_on_each_device) {
  auto const devices = open_devices("host:1,host:1");
  auto const name = devices.front()->costs().name();
  EXPECT_EQ(launch_queue(devices, kernels()).statistics().costs, (std::vector{name, name}));
}

/// On cores, where no launch holds up others that it has nothing to do with.
class passthrough_queue : public testing::Test {
 protected:
  launch_queue queue_{open_devices("host:2"), kernels(), {.order = "passthrough", .streams = 3}};
  shared_words const gate_{1}, visits_{1};
};

TEST_F(passthrough_queue, lets_a_launch_stream_issue_behind_its_own_launch_in_flight) {
  auto line = queue_.make_launch_stream();
  line.launch(wait_at_gate{gate_.ref()}, 1);
  auto const behind = line.launch(count_visits{visits_.ref()}, 1);
  EXPECT_TRUE(line.is_issued());
  EXPECT_EQ(queue_.statistics().direct_launches, 2u);
  gate_.open();
  behind.wait();
}

TEST_F(passthrough_queue, has_the_device_wait_for_launches_of_other_launch_streams) {
  std::vector<launch_stream> lines;
  for (int i = 0; i < 3; ++i) lines.push_back(queue_.make_launch_stream());
  for (int i = 0; i < 2; ++i) lines[2].after(lines[i].launch(wait_at_gate{gate_.ref()}, 1));
  auto const behind = lines[2].launch(count_visits{visits_.ref()}, 1);
  EXPECT_TRUE(lines[2].is_issued());
  EXPECT_FALSE(behind.ready());
  gate_.open();
  behind.wait();
  EXPECT_EQ(visits_[0], 1u);
}

TEST(launch_statistics, list_each_count_under_its_own_name) {
  launch_statistics did;
  did.launches = 1, did.kernels = 2, did.merged_launches = 3, did.merged_kernels = 4, did.chained_kernels = 5;
  did.direct_launches = 6, did.resident_kernels = 7, did.resident_starts = 8;
  std::vector<std::string_view> const names = {"launches",         "kernels",         "merged_launches",
                                               "merged_kernels",   "chained_kernels", "direct_launches",
                                               "resident_kernels", "resident_starts"};
  auto const all = did.listed();
  ASSERT_EQ(all.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(all[i].name, names[i]);
    EXPECT_EQ(all[i].count, i + 1);
  }
}

}  // namespace
}  // namespace ballast::test
