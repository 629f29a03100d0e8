// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ballast/mpi.hpp"
#include "rank_kernels.cuh"
#include "uts.cuh"

// Each rank runs the same test, once, since it ends MPI for its process. Started by mpirun.
namespace ballast::test {
namespace {

cluster_queue_options options() {
  cluster_queue_options options;
  options.devices.queue.timeout = std::chrono::seconds(60);
  return options;
}

std::vector<task> squares(std::vector<std::uint32_t>& results) {
  std::vector<task> batch;
  for (std::uint32_t i = 0; i < results.size(); ++i)
    batch.push_back(task(square{i, result_ref(&results[i])}));
  return batch;
}

void expect_squares(std::vector<std::uint32_t> const& results) {
  for (std::uint32_t i = 0; i < results.size(); ++i) ASSERT_EQ(results[i], i * i) << i;
}

TEST(mpi_cluster_queue, processes_execute_each_task_once_wherever_it_was_submitted) {
  auto ranks = mpi_cluster();
  std::vector<std::uint32_t> results(2000 / (ranks.rank() + 1));
  cluster_queue queue(ranks, open_devices("host:1"), rank_kernels(), options());
  for (int round = 0; round < 5; ++round) {
    std::ranges::fill(results, 0);
    queue.submit(squares(results)).wait();
    expect_squares(results);
  }
  auto const by_rank = queue.tasks_by_rank();
  EXPECT_EQ(std::accumulate(by_rank.begin(), by_rank.end(), std::uint64_t(0)), 5 * results.size());
  queue.close();
}

// The program has initialised MPI, so that it can add up what the ranks have counted.
TEST(mpi_cluster_trees, that_one_process_submits_are_executed_whole) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  constexpr int height = 8;
  std::uint64_t visited = 0, all = 0;
  {
    auto ranks = mpi_cluster();
    cluster_queue queue(ranks, open_devices("host:1"), tree_kernels(), options());
    queue.publish(&visited, sizeof visited);
    if (ranks.rank() == 0) {
      for (int i = 0; i < 10; ++i) queue.submit(task(uts_root(height, &visited)));
      queue.wait_all();
    }
    queue.close();
  }
  MPI_Allreduce(&visited, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all, 10 * uts_nodes(height));
  MPI_Finalize();
}

/// Survivors of the end of a rank, which leave MPI as it is.
template <class End>
void lose_the_last_rank(End const& end) {
  cluster_options watchful;
  watchful.heartbeat = std::chrono::milliseconds(50);
  watchful.lost_after = std::chrono::seconds(5);
  static auto ranks = mpi_cluster({}, watchful);
  auto const last = ranks.ranks() - 1;
  std::vector<std::uint32_t> results(50);
  {
    cluster_queue queue(ranks, open_devices("host:1"), rank_kernels(), options());
    if (ranks.rank() == last) {
      end();
      return;
    }
    std::vector<task> batch;
    for (std::uint32_t i = 0; i < results.size(); ++i)
      batch.push_back(task(slow_square{i, result_ref(&results[i])}));
    // Enough for all, until the loss is known.
    while (ranks.lost().empty()) {
      std::ranges::fill(results, 0);
      queue.submit(batch).wait();
      expect_squares(results);
    }
    EXPECT_THAT(ranks.lost(), testing::ElementsAre(last));
    queue.submit(batch).wait();
    queue.close();
  }
  expect_squares(results);
}

/// Where the rank that hangs says who it is: all ranks are children of the same process.
std::filesystem::path note_of_hung_rank() {
  return std::filesystem::temp_directory_path() / ("ballast_hung_rank_" + std::to_string(getppid()));
}

// MPI would wait for the lost rank, and mpirun does not say how it ended.
[[noreturn]] void leave() {
  std::puts(testing::Test::HasFailure() ? "a survivor has failed" : "a survivor has passed");
  std::fflush(stdout);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(mpi_cluster_loss, repeatable_tasks_of_a_killed_rank_are_executed_by_the_others) {
  lose_the_last_rank([] { kill(getpid(), SIGKILL); });
  leave();
}

TEST(mpi_cluster_loss, a_rank_that_hangs_is_lost) {
  lose_the_last_rank([] {
    std::ofstream(note_of_hung_rank()) << getpid();
    kill(getpid(), SIGSTOP);
  });
  pid_t hung = 0;
  std::ifstream(note_of_hung_rank()) >> hung;
  if (hung > 0) kill(hung, SIGKILL);  // or mpirun would wait for it
  leave();
}

// First its network, so that nobody is told of the end of the others, the daemon of mpirun and the rank.
// Disabled, since it is for hosts that scripts/hosts.sh plays alone.
TEST(mpi_cluster_off, DISABLED_a_host_that_is_switched_off_is_lost) {
  ASSERT_EQ(system("ip -brief address show eth0 | grep -q ' 10.99.0.'"), 0) << "this host is not played";
  lose_the_last_rank([] {
    EXPECT_EQ(system("ip link set eth0 down"), 0);
    kill(getppid(), SIGKILL);
    kill(getpid(), SIGKILL);
  });
  leave();
}

TEST(mpi_cluster_loss, a_rank_that_dies_after_close_keeps_nobody_at_the_end_of_the_cluster) {
  cluster_options watchful;
  watchful.heartbeat = std::chrono::milliseconds(50);
  watchful.lost_after = std::chrono::seconds(5);
  {
    auto ranks = mpi_cluster({}, watchful);
    cluster_queue(ranks, open_devices("host:1"), rank_kernels(), options()).close();
    if (ranks.rank() + 1 == ranks.ranks()) kill(getpid(), SIGKILL);
  }
  leave();
}

// Else they would wait for it as long as cluster_options::timeout says, and mpirun.sh ends them before.
TEST(mpi_cluster_loss, a_rank_that_leaves_its_queue_keeps_nobody_at_the_end_of_the_cluster) {
  bool is_last = false;
  {
    auto ranks = mpi_cluster();
    is_last = ranks.rank() + 1 == ranks.ranks();
    cluster_queue queue(ranks, open_devices("host:1"), rank_kernels(), options());
    if (!is_last) queue.close();
  }
  if (is_last) _exit(0);
  leave();
}

}  // namespace
}  // namespace ballast::test
