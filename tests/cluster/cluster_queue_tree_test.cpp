// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "queue_ranks.hpp"
#include "sanitized.hpp"
#include "tree_kernels.cuh"
#include "uts.cuh"

namespace ballast::test {
namespace {

using testing::HasSubstr;

queue_case of_trees(std::uint32_t ranks, std::string policy = "lifeline") {
  queue_case of{.ranks = ranks, .policy = std::move(policy)};
  of.kernels = [](std::uint32_t) -> kernel_set const& { return tree_kernels(); };
  return of;
}

/// A word of each rank, in which its tasks count.
class counters {
 public:
  explicit counters(std::uint32_t ranks) : words_(ranks, std::vector<std::uint32_t>(3)) {}

  void publish(cluster_queue& queue, std::uint32_t rank) {
    queue.publish(words_[rank].data(), words_[rank].size() * sizeof(std::uint32_t));
  }
  std::uint32_t* nodes(std::uint32_t rank) { return &words_[rank][0]; }
  /// A gate of trees: see tree_at_gate.
  std::uint32_t* gate(std::uint32_t rank) { return &words_[rank][1]; }
  bool have_all() {
    return std::ranges::all_of(words_, [](auto& of_rank) { return std::atomic_ref(of_rank[0]).load() > 0; });
  }
  void open(std::uint32_t rank) { std::atomic_ref(words_[rank][1]).store(1); }
  std::uint32_t sum(std::size_t word = 0) {
    std::uint32_t all = 0;
    for (auto& of_rank : words_) all += std::atomic_ref(of_rank[word]).load();
    return all;
  }

 private:
  std::vector<std::vector<std::uint32_t>> words_;
};

TEST(cluster_queue_trees, are_executed_whole_before_the_completion_of_their_roots) {
  for (auto const& [policy, what] : share_policies())
    for (std::uint32_t const ranks : {1u, 2u, 4u}) {
      SCOPED_TRACE(std::string(policy) + ", " + std::to_string(ranks) + " ranks");
      counters count(ranks);
      ranks_in_process(of_trees(ranks, std::string(policy)))
          .on_queues([&](cluster_queue& queue, std::uint32_t rank) {
            count.publish(queue, rank);
            if (rank == 0) {
              queue.submit(task(tree{4, 5, count.nodes(0)})).wait();
              EXPECT_EQ(count.sum(), nodes_of(4, 5));
              queue.submit(std::vector<task>(50, task(tree{2, 4, count.nodes(0)}))).wait();
              EXPECT_EQ(count.sum(), nodes_of(4, 5) + 50 * nodes_of(2, 4));
            }
            queue.close();
          });
    }
}

TEST(cluster_queue_trees, of_all_ranks_at_once_are_executed_whole) {
  counters count(3);
  ranks_in_process(of_trees(3)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    count.publish(queue, rank);
    for (int i = 0; i < 20; ++i) queue.submit(task(tree{3, 4, count.nodes(rank)}));
    queue.close();
  });
  EXPECT_EQ(count.sum(), 60 * nodes_of(3, 4));
}

TEST(cluster_queue_trees, bring_the_result_of_their_root_home_with_what_its_children_added) {
  for (std::uint32_t const ranks : {2u, 4u})
    ranks_in_process(of_trees(ranks)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      std::vector<std::uint32_t> nodes(60);
      if (rank == ranks - 1) {
        std::vector<task> batch;
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
          batch.push_back(task(counted_tree{1 + i % 4, 4, true, result_ref(&nodes[i])}));
        queue.submit(batch).wait();
        for (std::uint32_t i = 0; i < nodes.size(); ++i) EXPECT_EQ(nodes[i], nodes_of(1 + i % 4, 4));
      }
      queue.close();
    });
}

// The tree of one root goes on until each rank has executed some of it. Of as few tasks as there are workers
// `random` may leave some ranks none: it remembers nobody, and a rank takes up again what it has to give.
TEST(cluster_queue_trees, that_one_rank_has_begun_are_executed_by_others_too) {
  for (std::string const policy : {"lifeline", "central"})
    for (std::uint32_t const ranks : {2u, 4u}) {
      SCOPED_TRACE(policy + ", " + std::to_string(ranks) + " ranks");
      counters count(ranks);
      ranks_in_process(of_trees(ranks, policy)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
        count.publish(queue, rank);
        completion end;
        if (rank == 0) end = queue.submit(task(patient{3, count.gate(0), count.nodes(0)}));
        await("the tree", [&] { return count.have_all(); });
        count.open(rank);
        if (rank == 0) end.wait();
        queue.close();
      });
    }
}

// Roots that have begun end with all that they create, and others are handed back.
TEST(cluster_queue_trees, that_have_begun_at_a_stop_are_executed_whole_and_no_others) {
  for (std::uint32_t const ranks : {1u, 2u, 4u}) {
    SCOPED_TRACE(ranks);
    constexpr std::uint32_t trees = 40, children = 4, levels = 4;
    counters count(ranks);
    std::atomic<bool> has_submitted = false;
    std::atomic<std::size_t> returned = 0;
    ranks_in_process(of_trees(ranks)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      count.publish(queue, rank);
      if (rank == 0) {
        queue.submit(
            std::vector<task>(trees, task(tree_at_gate{count.gate(0), {children, levels, count.nodes(0)}})));
        await("a tree has begun", [&] { return count.sum(2) > 0; });
        has_submitted = true;
      }
      await("trees", [&] { return has_submitted.load(); });
      std::thread opener([&] {
        await("the stop", [&] { return queue.describe().find("stopping") != std::string::npos; });
        count.open(rank);
      });
      auto const back = queue.stop();
      opener.join();
      returned += back.size();
      for (auto const& one : back) EXPECT_EQ(one.key(), key_of<tree_at_gate>);
      EXPECT_TRUE(rank == 0 || back.empty());
    });
    EXPECT_GT(returned, 0u);
    EXPECT_EQ(count.sum(2) + returned, trees);
    EXPECT_EQ(count.sum(), count.sum(2) * nodes_of(children, levels));
  }
}

TEST(cluster_queue_trees, of_a_published_benchmark_have_the_published_number_of_nodes) {
  constexpr int height = sanitized ? 6 : 10;
  for (std::uint32_t const ranks : {2u, 4u}) {
    std::vector<std::uint64_t> nodes(ranks);
    ranks_in_process(of_trees(ranks)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      queue.publish(&nodes[rank], sizeof(std::uint64_t));
      if (rank == 0) queue.submit(task(uts_root(height, &nodes[0]))).wait();
      queue.close();
    });
    EXPECT_EQ(std::accumulate(nodes.begin(), nodes.end(), std::uint64_t(0)), uts_nodes(height));
  }
}

/// What becomes of trees that a rank has begun when it is lost: how many of `trees` are lost.
std::size_t lost_trees(kernel_set const& kernels, std::uint32_t trees) {
  std::size_t lost = 0;
  queue_case of{.ranks = 2, .watch = quick_to_lose()};
  of.kernels = [&](std::uint32_t) -> kernel_set const& { return kernels; };
  ranks_in_process ranks(of);
  std::atomic<bool> has_ended = false;
  ranks.on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    if (rank == 1) {
      await("the end of rank 0", [&] { return has_ended.load(); });
      return;
    }
    auto const end = queue.submit(std::vector<task>(trees, task(repeatable_tree{8, 5})));
    await("rank 1 has executed some", [&] { return queue.tasks_by_rank()[1] > 0 || end.ready(); });
    ranks.lose(1);
    try {
      end.wait();
    } catch (rank_lost const& loss) { lost = loss.perhaps_run().size(); }
    has_ended = true;
  });
  return lost;
}

TEST(cluster_queue_trees, of_a_lost_rank_are_repeated_if_all_kernels_of_the_set_are_repeatable) {
  EXPECT_EQ(lost_trees(repeatable_tree_kernels(), sanitized ? 20 : 200), 0u);
}

TEST(cluster_queue_trees, of_a_lost_rank_are_named_if_any_kernel_of_the_set_is_not_repeatable) {
  EXPECT_GT(lost_trees(partly_repeatable_tree_kernels(), sanitized ? 20 : 200), 0u);
}

}  // namespace
}  // namespace ballast::test
