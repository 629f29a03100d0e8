// SPDX-License-Identifier: Apache-2.0
#include "invented_cluster.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "invented_network.hpp"
#include "invented_stencil.hpp"
#include "invented_tasks.hpp"
#include "names_of.hpp"

namespace ballast::test {
namespace {

invented_cluster of_hosts(std::uint32_t hosts, std::uint32_t ranks_of_host, std::uint64_t tasks,
                          std::string const& policy = "lifeline") {
  auto cluster = from_one_rank(policy, hosts, tasks);
  cluster.ranks_of_host = ranks_of_host;
  return cluster;
}

class played_share_policy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(share_policies, played_share_policy, testing::ValuesIn(names_of(share_policies())));

/// Twelve ranks: each has one, two or three devices, and each of these other workers.
invented_cluster of_unequal_devices(std::string const& policy, std::uint64_t tasks) {
  auto cluster = of_hosts(3, 4, tasks, policy);
  cluster.devices = [](std::uint32_t rank) {
    std::vector<invented_device> devices{{2, 1.0}, {4 + rank, 0.5}, {1, 0.1}};
    devices.resize(1 + rank % 3);
    return devices;
  };
  return cluster;
}

TEST_P(played_share_policy, has_each_task_executed_exactly_once_by_unequal_devices) {
  for (std::uint64_t const tasks : {0, 1, 2, 7, 1000, 10'000}) {
    auto cluster = of_unequal_devices(GetParam(), tasks);
    EXPECT_TRUE(cluster_play(cluster).play().is_each_once()) << tasks << " tasks of rank 0";
    cluster.submitted = [tasks](std::uint32_t rank) { return tasks * rank / 11; };
    EXPECT_TRUE(cluster_play(cluster).play().is_each_once()) << tasks << " tasks of the last rank";
  }
}

TEST_P(played_share_policy, has_each_task_executed_exactly_once_by_ranks_of_one_host) {
  auto const cluster = of_hosts(1, 8, 5000, GetParam());
  EXPECT_TRUE(cluster_play(cluster).play().is_each_once());
}

TEST_P(played_share_policy, has_a_host_go_on_that_has_lost_one_of_its_ranks) {
  auto cluster = of_unequal_devices(GetParam(), 3000);
  cluster.losses = {{2, 500'000}, {9, 1'000'000}};
  auto const outcome = cluster_play(cluster).play();
  EXPECT_TRUE(outcome.is_each_once());
  if (GetParam() == "none") return;
  for (std::uint32_t const rank : {0, 1, 3, 8, 10, 11})
    EXPECT_GT(outcome.executed_by(rank), outcome.executed_by(2)) << "rank " << rank;
}

TEST_P(played_share_policy, has_each_task_executed_exactly_once_whoever_but_its_rank_is_lost_whenever) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto cluster = of_unequal_devices(GetParam(), 1000);
    for (std::uint32_t i = 0; i < 4; ++i) {
      auto const random = hash_of_task(4 * seed + i);
      cluster.losses.push_back(
          {std::uint32_t(3 * i + (i == 0 ? 1 : 0) + random % 2), std::int64_t(random % 4'000'000)});
    }
    EXPECT_TRUE(cluster_play(cluster).play().is_each_once()) << "seed " << seed;
  }
}

TEST(invented_cluster, has_devices_of_a_rank_execute_tasks_by_workers_and_speed) {
  auto cluster = of_hosts(1, 1, 30'000);
  cluster.devices = each_rank_has({{8, 1.0}, {8, 0.5}, {4, 1.0}});
  auto const outcome = cluster_play(cluster).play();
  EXPECT_NEAR(double(outcome.executed[0][0]), 15'000, 300);
  EXPECT_NEAR(double(outcome.executed[0][1]), 7'500, 300);
  EXPECT_NEAR(double(outcome.executed[0][2]), 7'500, 300);
  EXPECT_GT(double(list_schedule_ns(cluster)) / double(outcome.end_ns), 0.98);
}

TEST(invented_cluster, has_a_rank_whose_device_is_half_as_fast_execute_its_part) {
  auto cluster = of_hosts(1, 2, 30'000);
  cluster.devices = [](std::uint32_t rank) {
    return std::vector<invented_device>{{8, rank == 0 ? 1.0 : 0.5}};
  };
  EXPECT_NEAR(double(cluster_play(cluster).play().executed_by(1)), 10'000, 300);
}

/// One task runs, the other waits behind it, though the other rank has nothing to do.
TEST(invented_cluster, has_tasks_stay_on_the_device_that_they_were_given_to) {
  auto cluster = of_hosts(2, 1, 2);
  cluster.devices = [](std::uint32_t rank) {
    return std::vector<invented_device>{{rank == 0 ? 1u : 8u, 0.01}};
  };
  auto const outcome = cluster_play(cluster).play();
  EXPECT_EQ(outcome.executed_by(0), 2u);
  EXPECT_EQ(outcome.moved_tasks, 0u);
}

TEST(invented_cluster, has_a_worker_see_a_task_after_the_feed) {
  auto cluster = of_hosts(1, 1, 1);
  cluster.task_ns = [](std::uint64_t) { return 1000; };
  cluster.feed_ns = 300, cluster.feeding_ns = 20;
  EXPECT_EQ(cluster_play(cluster).play().end_ns, 1320);
}

TEST(invented_cluster, has_tasks_in_messages_cost_both_threads_their_time) {
  auto cluster = of_hosts(2, 1, 1000);
  auto const free = cluster_play(cluster).play();
  cluster.packing_ns = 50'000;  // for tasks that four workers execute in 25 us each
  auto const packed = cluster_play(cluster).play();
  EXPECT_TRUE(packed.is_each_once());
  EXPECT_GT(packed.end_ns, free.end_ns + 2 * 50'000);
}

constexpr invented_links links{.latency_ns = 5000,
                               .bytes_per_ns = 2,
                               .host_message_ns = 100,
                               .local_latency_ns = 500,
                               .local_bytes_per_ns = 4,
                               .message_ns = 1000};

TEST(invented_network, has_a_message_take_threads_cards_and_the_way) {
  invented_network network(links, 4, 2);
  auto const there = network.send(0, 0, 2, 1000);
  EXPECT_EQ(there, 1000 + 100 + 500 + 5000);
  EXPECT_EQ(network.has_left(0), 1600);
  EXPECT_EQ(network.receive(there, 0, 2, 1000), there + 1000);
}

TEST(invented_network, has_ranks_of_a_host_reach_each_other_through_memory) {
  invented_network network(links, 4, 2);
  auto const there = network.send(0, 0, 1, 1000);
  EXPECT_EQ(there, 1000 + 250 + 500);
  EXPECT_EQ(network.receive(there, 0, 1, 1000, 70), there + 1070);
}

TEST(invented_network, has_ranks_of_a_host_wait_for_its_card) {
  invented_network network(links, 4, 2);
  auto const first = network.send(0, 0, 2, 1000), second = network.send(0, 1, 3, 1000);
  EXPECT_EQ(second - first, 600);
  EXPECT_EQ(network.receive(first, 0, 2, 1000), first + 1000);
  EXPECT_EQ(network.receive(second, 1, 3, 1000), second + 1000) << "which come one after the other";
}

TEST(invented_network, has_messages_of_several_hosts_come_in_one_after_the_other) {
  invented_network network(links, 3, 1);
  auto const first = network.send(0, 0, 2, 10'000), second = network.send(0, 1, 2, 10'000);
  EXPECT_EQ(first, second);
  EXPECT_EQ(network.receive(first, 0, 2, 10'000), first + 1000);
  EXPECT_EQ(network.receive(second, 1, 2, 10'000), second + 5100 + 1000);
}

TEST(invented_network, has_a_thread_send_one_message_after_the_other) {
  invented_network network(links, 3, 1);
  EXPECT_EQ(network.send(0, 0, 1, 0), 6100);
  EXPECT_EQ(network.send(0, 0, 2, 0, 300), 7400);
  EXPECT_EQ(network.send(50'000, 0, 1, 0), 56'100);
}

TEST(invented_stencil, has_every_task_wait_for_its_neighbours_across_borders) {
  invented_stencil stencil{.hosts = 2, .cells_of_rank = 2, .steps = 7, .links = links, .message_bytes = 0};
  stencil.begin_ns = 10, stencil.border_ns = 300;
  auto const outcome = stencil_play(stencil).play();
  EXPECT_EQ(outcome.executed, 4u * 7);
  EXPECT_EQ(outcome.messages, 2u * 6);
  auto const border = 300 + 1000 + 100 + 5000 + 1000 + 300;
  EXPECT_EQ(outcome.end_ns, 7 * 1'000'010 + 6 * border);
}

TEST(invented_stencil, needs_no_message_on_one_rank_and_no_time_but_that_of_its_tasks) {
  invented_stencil stencil{.hosts = 1, .cells_of_rank = 5, .steps = 9};
  auto const outcome = stencil_play(stencil).play();
  EXPECT_EQ(outcome.end_ns, 9 * 1'000'000);
  EXPECT_EQ(outcome.messages, 0u);
  EXPECT_EQ(outcome.work_ns, 5 * 9 * 1e6);
}

/// A long task holds up one cell on each side for each step.
TEST(invented_stencil, passes_a_delay_on_by_a_cell_a_step) {
  invented_stencil stencil{.hosts = 1, .cells_of_rank = 9, .steps = 1};
  stencil.task_ns = [](std::uint64_t task) { return task == 0 ? 1'000'000 : 1000; };
  for (stencil.steps = 1; stencil.steps < 12; ++stencil.steps) {
    auto const outcome = stencil_play(stencil).play();
    EXPECT_EQ(outcome.end_ns, 1'000'000 + 1000 * (stencil.steps - 1));
    EXPECT_EQ(outcome.executed, 9u * stencil.steps);
  }
}

}  // namespace
}  // namespace ballast::test
