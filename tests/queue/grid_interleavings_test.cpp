// SPDX-License-Identifier: Apache-2.0
// All interleavings of workers that walk through a graph of two grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "explorer.hpp"

namespace ballast::test::grid_interleavings {
namespace {

template <class Word>
struct walked_atomic : explored_atomic<Word> {
  using explored_atomic<Word>::explored_atomic;
};
/// What detail::poll() is for the words of a GPU.
std::uint32_t poll(walked_atomic<std::uint32_t> const& word) { return word.load_acquire(); }

using taken = std::vector<std::uint64_t>;

/// Nodes 0 and 1 are a grid, 2 and 3 one that waits for it.
constexpr std::uint32_t nodes = 4, first_of_second = 2;

enum class fault { none, nodes_use_their_own_counters, needs_one_node_of_the_grid };

struct shared {
  alignas(128) std::byte memory[detail::graph_memory::bytes_of(nodes, 1)];
  std::uint64_t reported;
  std::uint64_t results;  ///< a byte for each node, which counts its runs
};

detail::graph_memory memory_of(shared& memory) { return {array_ref<std::byte>(memory.memory), nodes}; }

/// A node's number is the first word of its record.
detail::graph_node node_of(std::uint32_t node, fault planted) {
  detail::task_record record{{node}};
  record.describe({node, 1}, detail::task_record::grid_bit);
  auto const grid_bit = detail::graph_node::grid_bit;
  if (node < first_of_second) return {record, 0, grid_bit, 1, 0, {first_of_second}};
  auto const needs = planted == fault::needs_one_node_of_the_grid ? 1u : 2u;
  auto const waits_at = planted == fault::nodes_use_their_own_counters ? node : first_of_second;
  return {record, needs, waits_at | grid_bit, 0, 0, {}};
}

shared written(fault planted) {
  shared made = {};
  auto const memory = memory_of(made);
  for (std::uint32_t node = 0; node < nodes; ++node) memory.node(node) = node_of(node, planted);
  return made;
}

/// What graph_walk needs of a worker.
struct walker {
  detail::task_record in_hand;
  std::uint32_t state[detail::worker_state_words] = {};

  detail::task_record& record() { return in_hand; }
  std::uint32_t (&worker_state())[detail::worker_state_words] { return state; }
};

/// Adds to `ran` the round, the node, and whether all before it had run in this round.
void walk(shared& memory, std::uint32_t places, std::uint32_t round, taken& ran) {
  walker mine;
  mine.in_hand = detail::graph_round{memory_of(memory), places, round}.record();
  detail::graph_walk<walker, walked_atomic> one(mine);
  for (one.begin(); one.advance();) {
    while (!one.may_run()) running_thread->wait();
    auto const node = mine.in_hand.data[0];
    explored_atomic<std::uint64_t> const results(memory.results);
    auto const before = node < first_of_second ? 0 : results.load_relaxed() & 0xffff;
    bool const sees_all = node < first_of_second || before == (round + 1) * 0x101;
    ran.push_back(100 * round + 10 * node + (sees_all ? 1 : 0));
    results.add_relaxed(std::uint64_t(1) << 8 * node);
  }
}

/// `places`: as many of the nodes are claimed.
exploration_report explored(std::uint64_t workers, std::uint32_t rounds, std::uint32_t places,
                            fault planted = fault::none) {
  auto const one = [=](shared& memory) {
    taken ran;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      while (explored_atomic<std::uint64_t>(memory.reported).load_acquire() < round * workers)
        running_thread->wait();
      walk(memory, places, round, ran);
      explored_atomic<std::uint64_t>(memory.reported).add_release(1);
    }
    return ran;
  };
  auto const accepts = [=](shared&, taken const& ran) {
    for (std::uint64_t round = 0; round < rounds; ++round)
      for (std::uint64_t node = 0; node < places; ++node)
        if (std::ranges::count(ran, 100 * round + 10 * node + 1) != 1) return false;
    return ran.size() == std::size_t(places) * rounds;
  };
  std::vector<explorer<shared>::program> threads(workers, one);
  return explorer<shared>(written(planted), threads, accepts).explore();
}

TEST(grid_interleavings, run_each_node_once_a_round_after_all_nodes_of_the_grid_before) {
  EXPECT_TRUE(always_right(explored(1, 3, nodes), 1));
  EXPECT_TRUE(always_right(explored(2, 1, nodes)));
  EXPECT_TRUE(always_right(explored(2, 2, nodes - 1)));
}

TEST(grid_interleavings, wait_for_ever_where_a_grids_nodes_wait_at_counters_of_their_own) {
  EXPECT_GT(explored(2, 1, nodes, fault::nodes_use_their_own_counters).deadlocks, 0u);
}

TEST(grid_interleavings, begin_early_where_a_node_waits_for_one_of_a_grids_nodes) {
  EXPECT_GT(explored(2, 1, nodes, fault::needs_one_node_of_the_grid).failures, 0u);
}

}  // namespace
}  // namespace ballast::test::grid_interleavings
