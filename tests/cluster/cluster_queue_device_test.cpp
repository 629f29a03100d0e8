// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "queue_ranks.hpp"
#include "test_devices.hpp"

namespace ballast::test {
namespace {

// A GPU writes results of the tasks that came to it into memory of its rank, and its rank's own ones home.
TEST(cluster_queue_devices, a_rank_with_the_devices_under_test_and_one_with_cores_share_tasks) {
  constexpr std::uint32_t tasks = 2000;
  std::string const under_test = test_devices().front()->is_cuda() ? "cuda:0" : "host:2";
  auto all = in_process_clusters(2);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      try {
        auto const devices = open_devices(rank == 0 ? under_test : "host:2");
        pinned_buffer<std::uint32_t> results(devices.front(), tasks);
        device_buffer<std::uint32_t> const runs(devices.front(), 1);  // is counted up from anything
        cluster_queue queue(all[rank], devices, cluster_kernels());
        queue.publish(runs.data(), sizeof(std::uint32_t));
        std::vector<task> batch;
        for (std::uint32_t i = 0; i < tasks; ++i) {
          results[i] = 0;
          batch.push_back(task(tally{i, 100, runs.data(), result_ref(&results[i])}));
        }
        queue.submit(batch).wait();
        for (std::uint32_t i = 0; i < tasks; ++i) ASSERT_EQ(results[i], value_of(i, 100)) << rank << " " << i;
        queue.close();
      } catch (std::exception const& failure) { ADD_FAILURE() << "rank " << rank << ": " << failure.what(); }
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace ballast::test
