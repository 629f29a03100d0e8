// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "is_deep_run.hpp"
#include "queue_ranks.hpp"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

std::uint64_t sum(std::vector<std::uint64_t> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t(0));
}

/// Each rank below `origins` submits its tasks in batches of so many, and waits for them.
void execute_each_once(queue_case const& of, std::uint32_t origins, std::uint32_t tasks,
                       std::uint32_t of_a_batch) {
  tallied_tasks all(of.ranks, std::max(tasks, 1u));
  ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    if (rank < origins) {
      for (std::uint32_t first = 0; first < tasks; first += of_a_batch)
        queue.submit(all.batch(rank, first, std::min(of_a_batch, tasks - first)));
      queue.wait_all();
      EXPECT_EQ(all.results_of(rank, tasks), tasks);
      EXPECT_EQ(sum(queue.tasks_by_rank()), tasks);
    }
    queue.close();
  });
  for (std::uint32_t rank = 0; rank < origins; ++rank)
    EXPECT_EQ(all.executed_once(rank, tasks), tasks) << of.policy << ", rank " << rank << " of " << of.ranks;
}

/// Calls it for each policy with 1, 2, 3 and 5 ranks, under sanitizers with 3 alone.
template <class Call>
void for_each_case(Call const& call) {
  auto const numbers = sanitized ? std::vector{3u} : std::vector{1u, 2u, 3u, 5u};
  for (auto const& [policy, what] : share_policies())
    for (std::uint32_t const ranks : numbers) {
      SCOPED_TRACE(std::string(policy) + ", " + std::to_string(ranks) + " ranks");
      call(queue_case{.ranks = ranks, .policy = std::string(policy)});
    }
}

TEST(cluster_queue, each_task_is_executed_once_by_whichever_rank) {
  for_each_case([](queue_case const& of) { execute_each_once(of, 1, 500, 500); });
}

TEST(cluster_queue, each_task_is_executed_once_where_all_ranks_submit_at_once) {
  for_each_case([](queue_case const& of) { execute_each_once(of, of.ranks, 200, 200); });
}

TEST(cluster_queue, executes_many_small_batches) {
  for_each_case([](queue_case const& of) { execute_each_once(of, of.ranks, 150, 3); });
}

TEST(cluster_queue, executes_fewer_tasks_than_there_are_ranks) {
  for_each_case([](queue_case const& of) {
    execute_each_once(of, 1, 0, 1);
    execute_each_once(of, 1, 1, 1);
    execute_each_once(of, of.ranks, 1, 1);
    execute_each_once(of, 1, 3, 3);
  });
}

TEST(cluster_queue, a_batch_without_tasks_is_complete) {
  ranks_in_process({.ranks = 2}).on_queues([](cluster_queue& queue, std::uint32_t) {
    auto const nothing = queue.submit(std::vector<task>());
    EXPECT_TRUE(nothing.ready());
    nothing.wait();
    queue.close();
  });
}

TEST(cluster_queue, threads_of_a_rank_submit_and_wait_at_once) {
  for (auto const& [policy, what] : share_policies()) {
    constexpr std::uint32_t threads = 4, of_thread = 60;
    queue_case const of{.ranks = 3, .policy = std::string(policy)};
    tallied_tasks all(of.ranks, threads * of_thread);
    ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      all.publish(queue, rank);
      std::vector<std::thread> submitting;
      for (std::uint32_t i = 0; i < threads; ++i)
        submitting.emplace_back([&, i] {
          for (std::uint32_t k = 0; k < of_thread; k += 20) {
            queue.submit(all.batch(rank, i * of_thread + k, 20)).wait();
            for (std::uint32_t n = 0; n < 20; ++n) EXPECT_TRUE(all.has_result(rank, i * of_thread + k + n));
          }
        });
      for (auto& thread : submitting) thread.join();
      queue.close();
    });
    for (std::uint32_t rank = 0; rank < of.ranks; ++rank)
      EXPECT_EQ(all.executed_once(rank, threads * of_thread), threads * of_thread);
  }
}

TEST(cluster_queue, threads_that_only_ask_whether_a_batch_is_ready_do_not_hold_it_up) {
  tallied_tasks all(2, 200);
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    auto const end = queue.submit(all.batch(rank, 0, 200));
    std::vector<std::thread> asking;
    for (int i = 0; i < 3; ++i)
      asking.emplace_back([&] {
        auto const until = deadline::in(generous);
        while (!end.ready() && !until.passed()) {}
        EXPECT_TRUE(end.ready());
      });
    for (auto& thread : asking) thread.join();
    EXPECT_EQ(all.results_of(rank, 200), 200u);
    queue.close();
  });
}

TEST(cluster_queue, executes_a_giant_among_many_small_tasks) {
  for_each_case([](queue_case const& of) {
    constexpr std::uint32_t tasks = 300, giant = 1, rounds = 3'000'000;
    tallied_tasks all(of.ranks, tasks);
    ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      all.publish(queue, rank);
      if (rank == of.ranks - 1) {
        auto batch = all.batch(rank, 0, tasks);
        batch[giant] = all.one(rank, giant, rounds);
        queue.submit(batch).wait();
        EXPECT_EQ(all.results_of(rank, tasks), tasks - 1);
        EXPECT_TRUE(all.has_result(rank, giant, rounds));
      }
      queue.close();
    });
    EXPECT_EQ(all.executed_once(of.ranks - 1, tasks), tasks);
  });
}

TEST(cluster_queue, ranks_of_unequal_speed_and_with_several_devices_execute_each_task_once) {
  for (auto const& [policy, what] : share_policies()) {
    queue_case of{.ranks = 3, .policy = std::string(policy)};
    of.devices = [](std::uint32_t rank) {
      return std::vector<std::string>{"host:1/50", "host:1,host:1/3", "host:2"}[rank];
    };
    execute_each_once(of, 1, 400, 100);
    execute_each_once(of, 3, 100, 100);
  }
}

TEST(cluster_queue, messages_that_are_late_change_nothing) {
  for (std::uint64_t seed = 0; seed < (is_deep_run() ? 100u : 4u); ++seed)
    for (auto const& [policy, what] : share_policies()) {
      SCOPED_TRACE(seed);
      queue_case of{.ranks = std::uint32_t(2 + seed % 4), .policy = std::string(policy)};
      of.network = {.host_ranks = std::uint32_t(seed % 3),
                    .pair_messages = std::uint32_t(1 + seed % 2 * 7),
                    .least_delay_ns = 1000,
                    .most_delay_ns = 400'000,
                    .seed = seed};
      execute_each_once(of, 1 + std::uint32_t(seed % of.ranks), 120, 40);
    }
}

TEST(cluster_queue, results_of_a_page_come_home) {
  for_each_case([](queue_case of) {
    constexpr std::uint32_t tasks = 60;
    of.kernels = [](std::uint32_t) -> kernel_set const& { return page_kernels(); };
    std::vector<result_page> pages(tasks);
    ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      if (rank == 0) {
        std::vector<task> batch;
        for (std::uint32_t i = 0; i < tasks; ++i)
          batch.push_back(task(fill_a_page{i, {result_ref(&pages[i])}}));
        queue.submit(batch).wait();
        for (std::uint32_t i = 0; i < tasks; ++i)
          for (std::uint32_t k = 0; k < 1024; ++k) ASSERT_EQ(pages[i].words[k], i + k);
      }
      queue.close();
    });
  });
}

TEST(cluster_queue, more_pages_than_a_rank_has_memory_for_results_come_home) {
  constexpr std::uint32_t tasks = sanitized ? 100 : 300;
  std::vector<result_page> pages(tasks * 8);
  queue_case of{.ranks = 3};
  of.kernels = [](std::uint32_t) -> kernel_set const& { return page_kernels(); };
  ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    if (rank == 1) {
      std::vector<task> batch;
      for (std::uint32_t i = 0; i < tasks; ++i) {
        fill_eight_pages one{i, {}};
        for (std::uint32_t k = 0; k < 8; ++k) one.pages[k] = result_ref(&pages[i * 8 + k]);
        batch.push_back(task(one));
      }
      queue.submit(batch).wait();
      for (std::uint32_t i = 0; i < pages.size(); ++i)
        for (std::uint32_t k = 0; k < 1024; ++k) ASSERT_EQ(pages[i].words[k], i / 8 + i % 8 + k);
    }
    queue.close();
  });
}

// The first rank of `central` has all tasks, and gives those of the others on.
TEST(cluster_queue, tasks_that_a_third_rank_passed_on_bring_their_results_home) {
  tallied_tasks all(3, 600);
  gates of_ranks(3);
  ranks_in_process({.ranks = 3, .policy = "central"})
      .on_queues([&](cluster_queue& queue, std::uint32_t rank) {
        all.publish(queue, rank);
        of_ranks.publish(queue, rank);
        if (rank == 1) {
          // Its own worker is held, and that of the centre: what remains is executed by rank 2.
          of_ranks.open(2);
          of_ranks.hold(queue, 1, {0, 1});
          auto const end = queue.submit(all.batch(1, 0, 600));
          await("rank 2 has executed some", [&] { return queue.tasks_by_rank()[2] > 0; });
          of_ranks.open();
          end.wait();
          EXPECT_EQ(all.results_of(1, 600), 600u);
        }
        queue.close();
      });
  EXPECT_EQ(all.executed_once(1, 600), 600u);
}

TEST(cluster_queue, a_cluster_of_this_process_alone_needs_no_other) {
  cluster alone;
  tallied_tasks all(1, 100);
  cluster_queue queue(alone, open_devices("host:2"), cluster_kernels());
  all.publish(queue, 0);
  queue.submit(all.batch(0, 0, 100)).wait();
  EXPECT_EQ(all.results_of(0, 100), 100u);
  EXPECT_EQ(queue.tasks_by_rank(), std::vector<std::uint64_t>{100});
  queue.close();
}

}  // namespace
}  // namespace ballast::test
