// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "captured_log.hpp"
#include "queue_ranks.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;

TEST(cluster_queue_end, close_waits_for_tasks_of_other_ranks) {
  gates of_ranks(3);
  std::atomic<bool> has_opened = false;
  ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    of_ranks.publish(queue, rank);
    if (rank == 1) {
      queue.submit(of_ranks.some(1, 5));
      await("a task has begun", [&] { return of_ranks.begun() > 0; });
      has_opened = true;
      of_ranks.open();
    }
    queue.close();
    EXPECT_TRUE(has_opened);
    EXPECT_EQ(of_ranks.passed(), 5u);
  });
}

TEST(cluster_queue_end, a_closed_queue_takes_no_tasks_and_may_be_closed_again) {
  tallied_tasks all(2, 50);
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    queue.submit(all.batch(rank, 0, 49));
    queue.close();
    EXPECT_EQ(all.results_of(rank, 49), 49u);
    EXPECT_THAT(refusal<error>([&] { queue.submit(all.one(rank, 49)); }), HasSubstr("closed"));
    EXPECT_THAT(refusal<error>([&] { queue.publish(&rank, sizeof rank); }), HasSubstr("is closed"));
    queue.close();
    queue.wait_all();
    EXPECT_TRUE(queue.stop().empty());
    EXPECT_EQ(all.executed_once(rank, 50), 49u);
  });
}

TEST(cluster_queue_end, wait_all_waits_for_what_was_submitted_before_it) {
  tallied_tasks all(3, 300);
  ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    queue.wait_all();
    for (std::uint32_t first = 0; first < 300; first += 50) {
      queue.submit(all.batch(rank, first, 50));
      if (first % 100 == 0) continue;
      queue.wait_all();
      EXPECT_EQ(all.results_of(rank, first + 50), first + 50);
    }
    queue.close();
  });
}

TEST(cluster_queue_end, completions_outlive_the_queue_and_the_cluster) {
  tallied_tasks all(2, 80);
  std::vector<completion> ends(2);
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    ends[rank] = queue.submit(all.batch(rank, 0, 80));
    queue.close();
  });
  for (auto const& end : ends) {
    EXPECT_TRUE(end.ready());
    end.wait();
  }
}

// Some queues go while the cluster's thread is about to look at them.
TEST(cluster_queue_end, completions_of_a_queue_that_is_gone_say_so) {
  for (int i = 0; i < 30; ++i) {
    gates of_ranks(1);
    cluster alone;
    completion end;
    {
      cluster_queue queue(alone, open_devices("host:1"), cluster_kernels(), options_of({}));
      of_ranks.publish(queue, 0);
      end = queue.submit(of_ranks.some(0, 20));
      await("a task has begun", [&] { return of_ranks.begun() > 0; });
      EXPECT_FALSE(end.ready());
      of_ranks.open();
    }
    EXPECT_TRUE(end.ready());
    if (of_ranks.passed() == 20) continue;
    EXPECT_THAT(refusal<stopped>([&] { end.wait(); }), HasSubstr("gone"));
  }
}

TEST(cluster_queue_end, what_is_to_follow_a_batch_follows_it) {
  tallied_tasks all(3, 40);
  ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    std::atomic<std::uint32_t> right = 0;
    auto const then = queue.submit(all.batch(rank, 0, 20)).then([&] {
      right = all.results_of(rank, 20);
      return queue.submit(all.batch(rank, 20, 20));
    });
    then.wait();
    EXPECT_EQ(right, 20u);
    EXPECT_EQ(all.results_of(rank, 40), 40u);
    queue.close();
  });
}

TEST(cluster_queue_end, queues_one_after_the_other_share_a_cluster) {
  constexpr std::uint32_t queues = 6;
  tallied_tasks all(3, queues * 40);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    for (std::uint32_t i = 0; i < queues; ++i) {
      auto const queue = ranks.open(over, rank);
      all.publish(*queue, rank);
      if (i % 3 != rank) queue->submit(all.batch(rank, i * 40, 40));
      queue->close();
    }
  });
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(all.executed_once(rank, queues * 40), (queues - queues / 3) * 40);
}

TEST(cluster_queue_end, two_queues_at_the_same_time_share_a_cluster) {
  tallied_tasks first(3, 200), second(3, 200);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto const one = ranks.open(over, rank), other = ranks.open(over, rank);
    first.publish(*one, rank);
    second.publish(*other, rank);
    one->submit(first.batch(rank, 0, 200));
    auto const end = other->submit(second.batch(rank, 0, 200));
    one->close();
    end.wait();
    other->close();
    EXPECT_EQ(first.results_of(rank, 200), 200u);
    EXPECT_EQ(second.results_of(rank, 200), 200u);
  });
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(first.executed_once(rank, 200), 200u);
    EXPECT_EQ(second.executed_once(rank, 200), 200u);
  }
}

/// One rank stops the others at some time; each rank stops or closes. Every task was executed or is handed
/// back, on the rank that submitted it.
void stop_amid(queue_case const& of, std::uint32_t stopper, std::uint32_t executed_before) {
  constexpr std::uint32_t tasks = 400;
  std::atomic<bool> has_stopped = false;
  tallied_tasks all(of.ranks, tasks);
  ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    std::uint32_t submitted = 0;
    std::vector<completion> ends;
    try {
      for (; submitted < tasks; submitted += 50) ends.push_back(queue.submit(all.batch(rank, submitted, 50)));
    } catch (error const& closed) { EXPECT_THAT(closed.what(), HasSubstr("closed")); }
    if (rank == stopper)
      await("some tasks have run", [&] {
        auto const by_rank = queue.tasks_by_rank();
        return std::accumulate(by_rank.begin(), by_rank.end(), std::uint64_t(0)) >= executed_before;
      });
    try {
      if (rank != stopper) rank % 2 == 1 ? queue.close() : queue.wait_all();
    } catch (stopped const& why) { EXPECT_THAT(why.what(), HasSubstr("stop() hands back")); }
    if (rank == stopper) has_stopped = true;
    await("the stop", [&] { return has_stopped.load(); });
    auto const returned = queue.stop();
    EXPECT_EQ(all.executed_once(rank, submitted) + returned.size(), submitted) << "rank " << rank;
    for (auto const& end : ends) EXPECT_TRUE(end.ready());
    std::uint32_t not_run = 0;
    for (auto const& end : ends) try {
        end.wait();
      } catch (stopped const& why) { not_run += std::uint32_t(why.unfinished()); }
    EXPECT_EQ(not_run, returned.size());
    EXPECT_TRUE(queue.stop().empty());
  });
}

TEST(cluster_queue_end, a_stop_on_one_rank_hands_back_what_no_rank_executed) {
  for (auto const& [policy, what] : share_policies())
    for (std::uint32_t const ranks : {1u, 2u, 4u})
      for (std::uint32_t const executed : {0u, 20u}) {
        SCOPED_TRACE(std::string(policy) + ", " + std::to_string(ranks) + " ranks");
        queue_case of{.ranks = ranks, .policy = std::string(policy)};
        stop_amid(of, ranks - 1, executed);
      }
}

TEST(cluster_queue_end, a_stop_while_messages_are_late_hands_back_what_no_rank_executed) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    queue_case of{.ranks = 3};
    of.network = {.pair_messages = 2, .least_delay_ns = 1000, .most_delay_ns = 300'000, .seed = seed};
    stop_amid(of, std::uint32_t(seed % 3), std::uint32_t(seed * 3));
  }
}

TEST(cluster_queue_end, a_stop_hands_back_tasks_that_another_rank_has_and_they_may_be_submitted_again) {
  gates of_ranks(2);
  tallied_tasks all(2, 100);
  std::atomic<bool> has_submitted = false;
  ranks_in_process ranks({.ranks = 2});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    std::vector<task> returned;
    {
      auto const queue = ranks.open(over, rank);
      of_ranks.publish(*queue, rank);
      all.publish(*queue, rank);
      if (rank == 0) {
        of_ranks.hold(*queue, 0, {0, 1});
        queue->submit(all.batch(0, 0, 100));
        has_submitted = true;
      }
      // Each worker is held until all ranks know of the stop.
      auto const let_go = [&] {
        await("the stop", [&] { return queue->describe().find("stopping") != std::string::npos; });
        of_ranks.open(rank);
      };
      std::thread opener(let_go);
      await("tasks to stop", [&] { return has_submitted.load(); });
      returned = queue->stop();
      opener.join();
    }
    auto const again = ranks.open(over, rank);
    of_ranks.publish(*again, rank);
    all.publish(*again, rank);
    again->submit(returned).wait();
    again->close();
    EXPECT_EQ(all.results_of(0, 100), 100u);
  });
  EXPECT_EQ(all.executed_once(0, 100), 100u);
}

TEST(cluster_queue_end, a_stop_without_tasks_ends_all_ranks) {
  ranks_in_process({.ranks = 3}).on_queues([](cluster_queue& queue, std::uint32_t rank) {
    if (rank == 2)
      EXPECT_TRUE(queue.stop().empty());
    else
      queue.close();
  });
}

TEST(cluster_queue_end, waits_for_what_was_stopped_elsewhere_throw_stopped) {
  gates of_ranks(2);
  std::atomic<bool> has_submitted = false;
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    of_ranks.publish(queue, rank);
    if (rank == 0) {
      of_ranks.hold(queue, 0, {0, 1});
      auto const last = queue.submit(of_ranks.some(0, 30));
      has_submitted = true;
      await("the stop", [&] { return queue.describe().find("stopping") != std::string::npos; });
      of_ranks.open();
      refusal<stopped>([&] { last.wait(); });
      refusal<stopped>([&] { queue.wait_all(); });
      refusal<stopped>([&] { queue.close(); });
      EXPECT_GE(queue.stop().size(), 1u);
    } else {
      await("tasks to stop", [&] { return has_submitted.load(); });
      queue.stop();
    }
  });
}

TEST(cluster_queue_end, a_cluster_says_that_it_waits_for_others_only_if_there_are_some) {
  for (std::uint32_t const ranks : {1u, 2u}) {
    captured_log const log;
    ranks_in_process({.ranks = ranks}).on_clusters([](cluster&, std::uint32_t) {});
    EXPECT_EQ(log.lines().find("other ranks") != std::string::npos, ranks > 1) << log.lines();
  }
}

}  // namespace
}  // namespace ballast::test
