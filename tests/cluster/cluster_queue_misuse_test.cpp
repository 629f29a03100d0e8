// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster_thread.hpp"
#include "queue_ranks.hpp"
#include "refused_argument.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(cluster_queue_misuse, another_list_of_kernels_on_one_rank_is_refused_on_all_and_named) {
  for (std::uint32_t const other : {0u, 1u, 2u}) {
    queue_case of{.ranks = 3};
    of.kernels = [other](std::uint32_t rank) -> kernel_set const& {
      return rank == other ? other_cluster_kernels() : cluster_kernels();
    };
    ranks_in_process ranks(of);
    ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
      EXPECT_THAT(refusal<bad_argument>([&] { ranks.open(over, rank); }),
                  AllOf(HasSubstr("kernels"), HasSubstr("kernel 2 of the list"), HasSubstr("large_tally"),
                        HasSubstr("repeatable_tally"), HasSubstr("on rank 0"),
                        HasSubstr("on rank " + std::to_string(other == 0 ? 1 : other))));
    });
  }
}

TEST(cluster_queue_misuse, another_policy_on_one_rank_is_refused_on_all) {
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto options = options_of(ranks.options());
    if (rank == 2) options.policy = "random";
    EXPECT_THAT(
        refusal<bad_argument>(
            [&] { cluster_queue queue(over, open_devices("host:1"), cluster_kernels(), options); }),
        AllOf(HasSubstr("policy"), HasSubstr("'lifeline' on rank 0"), HasSubstr("'random' on rank 2")));
  });
}

// The others need not wait until they time out.
TEST(cluster_queue_misuse, ranks_go_on_without_one_that_cannot_open_its_queue) {
  tallied_tasks all(3, 60);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    if (rank == 1) {
      auto options = options_of(ranks.options());
      options.policy = "no such";
      EXPECT_EQ(
          refused_argument([&] { cluster_queue(over, open_devices("host:1"), cluster_kernels(), options); }),
          "policy");
      EXPECT_EQ(refused_argument([&] {
                  cluster_queue(over, device_list(), cluster_kernels(), options_of(ranks.options()));
                }),
                "devices");
    } else {
      for (int i = 0; i < 2; ++i) {
        auto const queue = ranks.open(over, rank);
        all.publish(*queue, rank);
        queue->submit(all.batch(rank, 0, 60)).wait();
        EXPECT_THAT(queue->describe(), HasSubstr("rank 1 is lost"));
        queue->close();
      }
    }
    // A queue that all open has all.
    auto const queue = ranks.open(over, rank);
    EXPECT_EQ(queue->describe().find("lost"), std::string::npos);
    queue->close();
  });
}

TEST(cluster_queue_misuse, a_queue_is_refused_for_good_once_a_cluster_has_no_number_left_for_it) {
  cluster alone;
  {
    auto const hold = alone.thread().lock();
    for (int i = 0; i < 65536; ++i) alone.thread().skip_channel();
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(refusal<error>(
                    [&] { cluster_queue(alone, open_devices("host:1"), cluster_kernels(), options_of({})); }),
                HasSubstr("65535 queues were opened"));
}

TEST(cluster_queue_misuse, kernels_that_make_joins_are_refused) {
  cluster alone;
  EXPECT_THAT(
      refusal<bad_argument>([&] { cluster_queue(alone, open_devices("host:1"), joining_cluster_kernels()); }),
      AllOf(HasSubstr("kernels"), HasSubstr("join_two"), HasSubstr("joins")));
}

TEST(cluster_queue_misuse, a_task_that_cannot_travel_is_refused_before_anything_is_queued) {
  tallied_tasks all(2, 10), others(2, 10);
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    auto batch = all.batch(rank, 0, 10);
    batch.push_back(silent_task());
    EXPECT_THAT(refusal<bad_argument>([&] { queue.submit(batch); }),
                AllOf(HasSubstr("kernel"), HasSubstr("say_nothing")));
    batch.back() = others.one(rank, 0);
    EXPECT_EQ(refused_argument([&] { queue.submit(batch); }), "argument");
    batch.pop_back();
    queue.submit(batch).wait();
    queue.close();
    EXPECT_EQ(all.executed_once(rank, 10), 10u);
  });
}

TEST(cluster_queue_misuse, an_array_of_another_size_on_one_rank_is_refused_on_all_and_published_nowhere) {
  tallied_tasks all(3, 20), later(3, 20);
  std::vector<std::vector<std::uint32_t>> words(3, std::vector<std::uint32_t>(4));
  ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    EXPECT_THAT(
        refusal<bad_argument>([&] { queue.publish(words[rank].data(), rank == 1 ? 16 : 8); }),
        AllOf(HasSubstr("bytes"), HasSubstr("'8 bytes' on rank 0"), HasSubstr("'16 bytes' on rank 1")));
    task const refers_to_it(wait_at_gate{&words[rank][0], &words[rank][1]});
    EXPECT_EQ(refused_argument([&] { queue.submit(refers_to_it); }), "argument");
    later.publish(queue, rank);
    queue.submit(later.batch(rank, 0, 20)).wait();
    queue.submit(all.batch(rank, 0, 20)).wait();
    queue.close();
    EXPECT_EQ(later.executed_once(rank, 20), 20u);
  });
}

TEST(cluster_queue_misuse,
     null_and_an_array_that_meets_another_are_refused_where_they_are_and_told_to_others) {
  tallied_tasks all(2, 20);
  std::vector<std::vector<std::uint32_t>> words(2, std::vector<std::uint32_t>(4));
  ranks_in_process({.ranks = 2}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    for (std::uint32_t const refused : {0u, 1u}) {
      auto const argument =
          refused_argument([&] { queue.publish(rank == refused ? nullptr : words[rank].data(), 16); });
      EXPECT_EQ(argument, rank == refused ? "first" : "bytes");
    }
    EXPECT_EQ(refused_argument([&] { queue.publish(nullptr, 16); }), "first");
    queue.publish(words[rank].data(), 16);
    EXPECT_EQ(refused_argument([&] { queue.publish(&words[rank][1], 4); }), "first");
    all.publish(queue, rank);
    queue.submit(all.batch(rank, 0, 20)).wait();
    queue.close();
    EXPECT_EQ(all.executed_once(rank, 20), 20u);
  });
}

TEST(cluster_queue_misuse, a_rank_whose_device_fails_leaves_and_the_others_go_on) {
  tallied_tasks all(3, 200, tallied_tasks::kernels::repeatable);
  std::atomic<bool> has_failed = false;
  queue_case of{.ranks = 3, .policy = "none"};
  ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    all.publish(queue, rank);
    if (rank == 1) {
      auto const end = queue.submit(failing_task());
      refusal<device_lost>([&] { end.wait(); });
      EXPECT_TRUE(end.ready());
      refusal<device_lost>([&] { queue.submit(all.one(1, 0)); });
      refusal<device_lost>([&] { queue.wait_all(); });
      refusal<device_lost>([&] { queue.close(); });
      EXPECT_TRUE(queue.stop().empty());
      has_failed = true;
      return;
    }
    queue.submit(all.batch(rank, 0, 200)).wait();
    await("rank 1 has failed", [&] { return has_failed.load(); });
    queue.close();
    EXPECT_EQ(all.results_of(rank, 200), 200u);
    EXPECT_THAT(queue.describe(), HasSubstr("rank 1 is lost"));
  });
}

TEST(cluster_queue_misuse, tasks_of_others_that_a_failed_rank_had_run_again_or_are_named) {
  for (auto const which : {tallied_tasks::kernels::once, tallied_tasks::kernels::repeatable}) {
    tallied_tasks all(3, 200, which);
    ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      all.publish(queue, rank);
      try {
        auto const end = queue.submit(all.batch(rank, 0, 200));
        // Whichever rank executes it is lost, perhaps before it submits, and then who gives up because of
        // that.
        completion failing;
        if (rank == 0) failing = queue.submit(failing_task());
        end.wait();
        EXPECT_EQ(all.results_of(rank, 200), 200u);
        if (rank == 0) failing.wait();
        queue.close();
      } catch (rank_lost const& loss) { EXPECT_FALSE(loss.ranks().empty()); } catch (device_lost const&) {
      }
    });
  }
}

TEST(cluster_queue_misuse, a_timeout_tells_the_state_of_each_rank) {
  gates of_ranks(3);
  std::atomic<bool> has_timed_out = false;
  ranks_in_process({.ranks = 3}).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    of_ranks.publish(queue, rank);
    if (rank == 1) {
      of_ranks.hold(queue, 1, {1});
      try {
        queue.wait_all(deadline::in(std::chrono::milliseconds(1)));
        ADD_FAILURE() << "nobody has opened the gates";
      } catch (timed_out const& why) {
        for (std::string const one : {"rank 0", "rank 1", "rank 2"})
          EXPECT_THAT(why.state(),
                      HasSubstr("cluster queue of " + cluster_kernels().name() + " on " + one + " of 3: "));
        EXPECT_THAT(why.state(),
                    ContainsRegex("oldest submission: number 1 of rank 1, submitted [0-9.]+ s ago\n"
                                  "balanced queue of .* on host:1: .*\n"
                                  "queue of .* on host:1: "));
        EXPECT_THAT(why.state(), HasSubstr("\noldest task: kernel "));
      }
      has_timed_out = true;
    }
    await("the timeout", [&] { return has_timed_out.load(); });
    of_ranks.open(rank);
    queue.close();
  });
}

TEST(cluster_queue_misuse, waits_in_a_continuation_are_refused) {
  cluster alone;
  cluster_queue queue(alone, open_devices("host:1"), cluster_kernels(), options_of({}));
  auto const waits = queue.submit(task(idle{1})).then([&] { queue.wait_all(); });
  EXPECT_THAT(refusal<error>([&] { waits.wait(); }), HasSubstr("wait_all()"));
  queue.close();
}

}  // namespace
}  // namespace ballast::test
