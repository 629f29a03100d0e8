// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ballast/error.hpp"
#include "cluster_thread.hpp"
#include "is_deep_run.hpp"
#include "queue_ranks.hpp"

namespace ballast::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Waits for the end of a batch. Returns how many of its tasks are said to have been lost with a rank.
std::uint32_t lost_of(completion const& end, std::vector<std::uint32_t> const& may_be_lost) {
  try {
    end.wait();
    return 0;
  } catch (rank_lost const& loss) {
    EXPECT_FALSE(loss.ranks().empty());
    EXPECT_FALSE(loss.perhaps_run().empty());
    for (auto const rank : loss.ranks()) EXPECT_THAT(may_be_lost, Contains(rank));
    EXPECT_THAT(loss.what(),
                HasSubstr("of a batch " + detail::counted(loss.perhaps_run().size(), "task") + " may"));
    return std::uint32_t(loss.perhaps_run().size());
  }
}

void close_after_losses(cluster_queue& queue) {
  try {
    queue.close();
  } catch (rank_lost const& loss) { EXPECT_FALSE(loss.perhaps_run().empty()); }
}

enum class loss_by {
  word,     ///< it is cut off, and each rank is told at once, so that no test depends on time
  silence,  ///< it is cut off
  leaving   ///< its queue goes, unclosed
};

/// Losses amid the tasks of all ranks.
struct loss_case {
  queue_case queue;
  std::vector<std::uint32_t> lost;
  bool is_repeatable = false;
  loss_by by = loss_by::word;
};

class losses {
 public:
  explicit losses(loss_case of)
      : case_(std::move(of)),
        all_(case_.queue.ranks, tasks,
             case_.is_repeatable ? tallied_tasks::kernels::repeatable : tallied_tasks::kernels::once),
        ranks_(case_.queue),
        clusters_(case_.queue.ranks) {}

  /// Survivors end, and what they have and what they miss is all that they submitted.
  void play() {
    ranks_.on_clusters([&](cluster& over, std::uint32_t rank) {
      clusters_[rank] = &over;
      auto queue = ranks_.open(over, rank);
      all_.publish(*queue, rank);
      ++here_;
      await("all ranks", [&] { return here_ == case_.queue.ranks; });
      std::vector<completion> ends;
      for (std::uint32_t first = 0; first < tasks; first += of_batch)
        ends.push_back(submit(*queue, rank, first));
      if (is_lost(rank))
        be_lost(std::move(queue), rank);
      else
        survive(*queue, rank, ends);
    });
  }

 private:
  static constexpr std::uint32_t tasks = 240, of_batch = 40, rounds = 20'000;

  bool is_lost(std::uint32_t rank) const { return std::ranges::count(case_.lost, rank) > 0; }
  completion submit(cluster_queue& queue, std::uint32_t rank, std::uint32_t first) {
    std::vector<task> batch;
    for (std::uint32_t i = first; i < first + of_batch; ++i) batch.push_back(all_.one(rank, i, rounds));
    return queue.submit(batch);
  }
  void tell(std::uint32_t rank, std::uint32_t lost) {
    auto& thread = clusters_[rank]->thread();
    auto const hold = thread.lock();
    thread.lose(lost, "it was cut off");
  }
  void be_lost(std::unique_ptr<cluster_queue> queue, std::uint32_t rank) {
    await("some tasks have run", [&] {
      auto const by_rank = queue->tasks_by_rank();
      return std::accumulate(by_rank.begin(), by_rank.end(), std::uint64_t(0)) >= 10;
    });
    if (case_.by == loss_by::leaving) queue.reset();
    if (case_.by != loss_by::leaving) ranks_.lose(rank);
    for (std::uint32_t other = 0; case_.by == loss_by::word && other < case_.queue.ranks; ++other) {
      if (other == rank) continue;
      tell(other, rank);
      tell(rank, other);
    }
    ++lost_;
    await("the survivors", [&] { return survived_ == case_.queue.ranks - case_.lost.size(); });
  }
  void survive(cluster_queue& queue, std::uint32_t rank, std::vector<completion> const& ends) {
    std::uint32_t perhaps_run = 0;
    for (auto const& end : ends) perhaps_run += lost_of(end, case_.lost);
    EXPECT_LE(perhaps_run, case_.is_repeatable ? 0 : tasks);
    std::uint32_t results = 0;
    for (std::uint32_t i = 0; i < tasks; ++i) results += all_.has_result(rank, i, rounds);
    EXPECT_EQ(results + perhaps_run, tasks) << "rank " << rank;
    close_after_losses(queue);
    ++survived_;
    await("those that are lost", [&] { return lost_ == case_.lost.size(); });
  }

  loss_case case_;
  tallied_tasks all_;
  ranks_in_process ranks_;
  std::vector<cluster*> clusters_;
  std::atomic<std::size_t> here_ = 0, lost_ = 0, survived_ = 0;
};

TEST(cluster_queue_loss, survivors_end_and_name_the_tasks_that_a_lost_rank_had) {
  for (auto const& [policy, what] : share_policies())
    for (std::uint32_t const lost : {0u, 2u}) {
      SCOPED_TRACE(std::string(policy) + ", loss of rank " + std::to_string(lost));
      losses({.queue = {.ranks = 3, .policy = std::string(policy)}, .lost = {lost}}).play();
    }
}

TEST(cluster_queue_loss, repeatable_tasks_of_a_lost_rank_run_again) {
  for (auto const& [policy, what] : share_policies())
    for (std::uint32_t const lost : {0u, 1u}) {
      SCOPED_TRACE(std::string(policy) + ", loss of rank " + std::to_string(lost));
      losses({.queue = {.ranks = 3, .policy = std::string(policy)}, .lost = {lost}, .is_repeatable = true})
          .play();
    }
}

TEST(cluster_queue_loss, survivors_of_two_losses_end) {
  losses({.queue = {.ranks = 5}, .lost = {0, 3}}).play();
  losses({.queue = {.ranks = 4}, .lost = {1, 2}, .is_repeatable = true}).play();
  losses({.queue = {.ranks = 2}, .lost = {1}}).play();
}

TEST(cluster_queue_loss, silence_tells_of_a_loss) {
  queue_case const of{.ranks = 3, .watch = quick_to_lose()};
  losses({.queue = of, .lost = {1}, .is_repeatable = true, .by = loss_by::silence}).play();
  losses({.queue = of, .lost = {0}, .by = loss_by::silence}).play();
}

// No rank is watched closely, so that only the word of who leaves can end this.
TEST(cluster_queue_loss, a_rank_that_goes_without_close_says_so) {
  for (std::uint32_t const lost : {0u, 1u, 2u}) {
    SCOPED_TRACE(lost);
    losses({.queue = {.ranks = 3}, .lost = {lost}, .by = loss_by::leaving}).play();
    losses({.queue = {.ranks = 3}, .lost = {lost}, .is_repeatable = true, .by = loss_by::leaving}).play();
  }
}

TEST(cluster_queue_loss, losses_while_messages_are_late_leave_all_tasks_accounted_for) {
  for (std::uint64_t seed = 0; seed < (is_deep_run() ? 100u : 6u); ++seed) {
    SCOPED_TRACE(seed);
    loss_case of{.queue = {.ranks = std::uint32_t(3 + seed % 3)},
                 .lost = {std::uint32_t(seed % 3)},
                 .is_repeatable = seed % 2 == 0,
                 .by = seed % 3 == 1 ? loss_by::leaving : loss_by::word};
    of.queue.network = {.host_ranks = 2,
                        .pair_messages = std::uint32_t(1 + seed % 4),
                        .least_delay_ns = 1000,
                        .most_delay_ns = 200'000,
                        .seed = seed};
    losses(std::move(of)).play();
  }
}

TEST(cluster_queue_loss, names_each_task_that_the_lost_rank_had_and_none_that_ran_elsewhere) {
  gates of_ranks(2);
  queue_case of{.ranks = 2};
  of.watch = quick_to_lose();
  ranks_in_process ranks(of);
  std::atomic<bool> has_ended = false;
  ranks.on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    of_ranks.publish(queue, rank);
    if (rank == 1) {
      await("the end of rank 0", [&] { return has_ended.load(); });
      of_ranks.open(1);
      return;
    }
    auto const end = queue.submit(of_ranks.some(0, 40));
    await("both hold a task", [&] { return of_ranks.begun(0) > 0 && of_ranks.begun(1) > 0; });
    ranks.lose(1);
    of_ranks.open(0);
    try {
      end.wait();
      ADD_FAILURE() << "rank 1 holds a task that cannot have ended";
    } catch (rank_lost const& loss) {
      EXPECT_EQ(loss.ranks(), std::vector<std::uint32_t>{1});
      EXPECT_EQ(loss.perhaps_run().size() + of_ranks.passed(), 40u);
      EXPECT_THAT(loss.what(), HasSubstr("on rank 1, which is lost"));
    }
    EXPECT_THAT(refusal<rank_lost>([&] { queue.wait_all(); }), HasSubstr("rank 1"));
    EXPECT_THAT(refusal<rank_lost>([&] { queue.close(); }), HasSubstr("rank 1"));
    has_ended = true;
  });
}

TEST(cluster_queue_loss, a_queue_goes_on_after_a_loss) {
  tallied_tasks all(3, 100);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto queue = ranks.open(over, rank);
    if (rank == 2) return;  // without close
    all.publish(*queue, rank);
    queue->submit(all.batch(rank, 0, 100)).wait();
    queue->close();
    EXPECT_EQ(all.results_of(rank, 100), 100u);
  });
}

TEST(cluster_queue_loss, ranks_agree_on_nothing_without_the_first) {
  std::vector<std::uint32_t> words(3);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto queue = ranks.open(over, rank);
    if (rank == 0) return;  // without close
    EXPECT_THAT(refusal<rank_lost>([&] { queue->publish(&words[rank], 4); }), HasSubstr("rank 0 is lost"));
    queue->close();
  });
}

}  // namespace
}  // namespace ballast::test
