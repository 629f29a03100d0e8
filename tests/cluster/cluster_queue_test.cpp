// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ballast/start_threads.hpp"
#include "cluster_kernels.cuh"

namespace ballast::test {
namespace {

cluster_queue_options options_of(std::string policy = "lifeline") {
  cluster_queue_options options;
  options.policy = std::move(policy);
  options.devices.queue.timeout = std::chrono::seconds(60);
  return options;
}

/// Calls `body(queue, rank)` on a thread for each rank of a cluster in this process.
template <class Body>
void on_ranks(std::uint32_t ranks, cluster_queue_options const& options, Body const& body) {
  auto all = in_process_clusters(ranks);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        cluster_queue queue(all[rank], open_devices("host:1"), cluster_kernels(), options);
        body(queue, rank);
      } catch (std::exception const& failure) { ADD_FAILURE() << "rank " << rank << ": " << failure.what(); }
    });
  for (auto& thread : threads) thread.join();
}

TEST(cluster_queue, each_task_is_executed_once_by_whichever_rank) {
  for (auto const& [policy, what] : share_policies()) {
    constexpr std::uint32_t tasks = 500;
    std::vector<std::uint32_t> results(tasks);
    on_ranks(3, options_of(std::string(policy)), [&](cluster_queue& queue, std::uint32_t rank) {
      if (rank == 0) {
        std::vector<task> batch;
        for (std::uint32_t i = 0; i < tasks; ++i) batch.push_back(task(square{i, result_ref(&results[i])}));
        queue.submit(batch).wait();
        auto const by_rank = queue.tasks_by_rank();
        EXPECT_EQ(std::accumulate(by_rank.begin(), by_rank.end(), std::uint64_t(0)), tasks);
      }
      queue.close();
    });
    for (std::uint32_t i = 0; i < tasks; ++i) ASSERT_EQ(results[i], i * i) << policy << " " << i;
  }
}

}  // namespace
}  // namespace ballast::test
