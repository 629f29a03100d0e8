// SPDX-License-Identifier: Apache-2.0
// A model of the workers in a graph of tasks, every interleaving of them; and the same with errors that must
// show.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "explorer.hpp"

namespace ballast::test {

/// What detail::poll() is for the words of a GPU.
inline std::uint32_t poll(explored_atomic<std::uint32_t> const& word) { return word.load_acquire(); }

}  // namespace ballast::test

namespace ballast::test::graph_interleavings {
namespace {

using word = explored_atomic<std::uint64_t>;
using taken = std::vector<std::uint64_t>;

constexpr std::uint64_t max_tasks = 4, none = max_tasks;

/// The plan of a graph, as detail::graph_plan has it.
struct plan {
  std::vector<std::vector<std::uint64_t>> predecessors;
  std::vector<std::uint64_t> order;
  std::vector<std::uint64_t> runs_on;

  std::uint64_t tasks() const { return predecessors.size(); }
};

plan const diamond = {{{}, {0}, {0}, {1, 2}}, {0, 2, 3}, {1, none, none, none}};
plan const diamond_without_runs_on = {{{}, {0}, {0}, {1, 2}}, {0, 1, 2, 3}, {none, none, none, none}};
plan const chain = {{{}, {0}, {1}}, {0}, {1, 2, none}};
plan const two_chains = {{{}, {}, {0}, {1}}, {0, 1}, {2, 3, none, none}};

enum class fault {
  none,
  counts_before_the_result_is_there,
  waits_first_for_the_last_it_claimed,
  runs_on_with_a_task_of_the_order,
  needs_the_same_in_each_round,
  reports_after_a_stop,
  leaves_the_claims_of_the_next_round,
  clears_the_claims_of_its_own_round,
  begins_a_round_before_the_last_has_ended,
};

struct shared {
  std::uint64_t stop, reported;
  std::uint64_t claims[2];  ///< of the even and of the odd rounds
  std::uint64_t counted[max_tasks];
  std::uint64_t results;  ///< a byte for each task, which counts its runs
};

std::uint64_t result_of(std::uint64_t results, std::uint64_t task) { return results >> 8 * task & 0xff; }

/// Thrown by a worker that sees a stop.
struct leaves {};

struct worker {
  plan const& graph;
  fault planted;
  std::uint64_t workers, first_round, end_round;
  bool stops;  ///< where no stop comes none is looked for, so that endless waits show
  shared& memory;
  taken ran = {};

  /// Each round is a batch of a block for each worker; it waits for the batch before.
  void run() {
    for (auto round = first_round; round < end_round; ++round) {
      if (round > first_round && planted != fault::begins_a_round_before_the_last_has_ended)
        await([&] { return word(memory.reported).load_acquire() >= round * workers; });
      try {
        walk(round);
      } catch (leaves) {
        if (planted != fault::reports_after_a_stop) throw;
      }
      word(memory.reported).add_release(1);
    }
  }

  template <class Ready>
  void await(Ready const& ready) {
    for (;;) {
      if (stops && word(memory.stop).load_relaxed() != 0) throw leaves();
      if (ready()) return;
      running_thread->wait(stops ? 2 : 1);
    }
  }

  void walk(std::uint64_t round) {
    for (auto place = claim(round); place < graph.order.size(); place = claim(round)) {
      if (planted == fault::waits_first_for_the_last_it_claimed)
        if (auto const last = claim(round); last < graph.order.size()) run_from(last, round);
      run_from(place, round);
    }
    if (planted == fault::clears_the_claims_of_its_own_round) word(memory.claims[round % 2]).store_relaxed(0);
  }

  /// The first claim of a round clears the word of the next, which nobody uses yet.
  std::uint64_t claim(std::uint64_t round) {
    auto const place = word(memory.claims[round % 2]).add_relaxed(1);
    if (place == 0 && planted != fault::leaves_the_claims_of_the_next_round)
      word(memory.claims[(round + 1) % 2]).store_relaxed(0);
    return place;
  }

  void run_from(std::uint64_t place, std::uint64_t round) {
    auto task = graph.order[place];
    await_predecessors(task, round);
    for (; task != none; task = graph.runs_on[task]) execute(task, round);
  }

  void await_predecessors(std::uint64_t task, std::uint64_t round) {
    auto const needs = graph.predecessors[task].size();
    auto const until = planted == fault::needs_the_same_in_each_round ? needs : (round + 1) * needs;
    if (needs != 0) await([&] { return word(memory.counted[task]).load_acquire() >= until; });
  }

  /// Adds to `ran` the task, the round, and whether it saw what its predecessors wrote in this round.
  void execute(std::uint64_t task, std::uint64_t round) {
    auto const& before = graph.predecessors[task];
    auto const results = before.empty() ? 0 : word(memory.results).load_relaxed();
    bool const sees_all =
        std::ranges::all_of(before, [&](auto one) { return result_of(results, one) == round + 1; });
    ran.push_back(100 * round + 10 * task + (sees_all ? 1 : 0));
    if (planted == fault::counts_before_the_result_is_there) count_for_successors(task);
    word(memory.results).add_relaxed(std::uint64_t(1) << 8 * task);
    if (planted != fault::counts_before_the_result_is_there) count_for_successors(task);
  }

  void count_for_successors(std::uint64_t task) {
    for (std::uint64_t next = 0; next < graph.tasks(); ++next)
      if (next != graph.runs_on[task] && std::ranges::count(graph.predecessors[next], task) != 0)
        word(memory.counted[next]).add_release(1);
  }
};

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

/// What ran in a round: each task once if the round has ended, else some of them, and none too early.
bool is_right(plan const& graph, std::uint64_t round, bool ended, taken const& ran) {
  for (std::uint64_t task = 0; task < graph.tasks(); ++task) {
    auto const well = std::ranges::count(ran, 100 * round + 10 * task + 1);
    auto const early = std::ranges::count(ran, 100 * round + 10 * task);
    if (early != 0 || well > 1 || (ended && well == 0)) return false;
  }
  return true;
}

struct trial {
  plan const& graph;
  std::uint64_t workers = 2, rounds = 1;
  bool stops = false;
  std::uint64_t first_round = 0;
  shared start = {};

  std::uint64_t end_round() const { return first_round + rounds; }

  /// `left`: the memory at an end.
  exploration_report with(fault planted, shared* left = nullptr) const {
    auto const one = [=, *this](shared& memory) {
      worker each{graph, planted, workers, first_round, end_round(), stops, memory};
      try {
        each.run();
      } catch (leaves) {}
      return each.ran;
    };
    auto const accepts = [=, *this](shared& memory, taken const& ran) {
      auto const ended = memory.reported / workers;
      if (left != nullptr) *left = memory;
      if (!stops && ended != end_round()) return false;
      for (auto round = first_round; round < end_round(); ++round)
        if (!is_right(graph, round, round < ended, ran)) return false;
      return true;
    };
    std::vector<explorer<shared>::program> threads(workers, one);
    if (stops) threads.push_back(stopper);
    return explorer<shared>(start, threads, accepts).explore();
  }
  bool shows(fault planted) const {
    auto const found = with(planted);
    return found.failures + found.deadlocks != 0;
  }
};

/// detail::graph_walk itself, over the memory of a graph as detail::placed_graph writes it.
namespace real {

constexpr std::size_t bytes = detail::graph_memory::bytes_of(max_tasks, 8);

struct shared {
  alignas(128) std::byte memory[bytes];
  std::uint64_t reported, results;
};

/// What graph_walk needs of a worker.
struct walker {
  detail::task_record in_hand;
  std::uint32_t state[detail::worker_state_words] = {};

  detail::task_record& record() { return in_hand; }
  std::uint32_t (&worker_state())[detail::worker_state_words] { return state; }
};

std::uint32_t node_of(plan const& graph, std::uint64_t task) {
  taken nodes = graph.order;
  for (auto const head : graph.order)
    for (auto next = graph.runs_on[head]; next != none; next = graph.runs_on[next]) nodes.push_back(next);
  return std::uint32_t(std::ranges::find(nodes, task) - nodes.begin());
}

detail::graph_memory memory_of(plan const& graph, shared& memory) {
  return {array_ref<std::byte>(memory.memory), std::uint32_t(graph.tasks())};
}

/// The task's number is the first word of its record.
shared written(plan const& graph) {
  shared made = {};
  auto const memory = memory_of(graph, made);
  std::uint32_t end = 0;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
    auto const first = end, follower = std::uint32_t(graph.runs_on[task]);
    for (std::uint32_t next = 0; next < graph.tasks(); ++next)
      if (next != follower && std::ranges::count(graph.predecessors[next], task) != 0)
        memory.successor(end++) = node_of(graph, next);
    auto const node = node_of(graph, task);
    auto const needs = node < graph.order.size() ? std::uint32_t(graph.predecessors[task].size()) : 0;
    auto const runs_on = follower == none ? detail::no_graph_node : node_of(graph, follower);
    memory.node(node) = {detail::task_record{{task}}, needs, first, end - first, runs_on};
  }
  return made;
}

struct worker {
  plan const& graph;
  std::uint64_t workers, rounds;
  shared& memory;
  taken ran = {};

  void run() {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      while (word(memory.reported).load_acquire() < round * workers) running_thread->wait();
      walk(std::uint32_t(round));
      word(memory.reported).add_release(1);
    }
  }

  void walk(std::uint32_t round) {
    walker mine;
    detail::graph_walk<walker, explored_atomic> const one(mine);
    mine.in_hand =
        detail::graph_round{memory_of(graph, memory), std::uint32_t(graph.order.size()), round}.record();
    for (one.begin(); one.advance();) {
      while (!one.may_run()) running_thread->wait();
      execute(mine.in_hand.data[0], round);
    }
  }

  void execute(std::uint64_t task, std::uint64_t round) {
    auto const& before = graph.predecessors[task];
    auto const results = before.empty() ? 0 : word(memory.results).load_relaxed();
    bool const sees_all =
        std::ranges::all_of(before, [&](auto one) { return result_of(results, one) == round + 1; });
    ran.push_back(100 * round + 10 * task + (sees_all ? 1 : 0));
    word(memory.results).add_relaxed(std::uint64_t(1) << 8 * task);
  }
};

exploration_report explored(plan const& graph, std::uint64_t workers, std::uint64_t rounds) {
  auto const one = [=, &graph](shared& memory) {
    worker each{graph, workers, rounds, memory};
    each.run();
    return each.ran;
  };
  auto const accepts = [=, &graph](shared&, taken const& ran) {
    for (std::uint64_t round = 0; round < rounds; ++round)
      if (!is_right(graph, round, true, ran)) return false;
    return true;
  };
  std::vector<explorer<shared>::program> threads(workers, one);
  return explorer<shared>(written(graph), threads, accepts).explore();
}

}  // namespace real

TEST(graph_interleavings, of_the_walk_itself_run_each_task_once_a_round_after_its_predecessors) {
  for (auto const* graph : {&diamond, &diamond_without_runs_on, &chain, &two_chains}) {
    EXPECT_TRUE(always_right(real::explored(*graph, 1, 3), 1));
    EXPECT_TRUE(always_right(real::explored(*graph, 2, 1)));
  }
  EXPECT_TRUE(always_right(real::explored(chain, 2, 2)));
  EXPECT_TRUE(always_right(real::explored(diamond, 2, 2)));
}

TEST(graph_interleavings, run_each_task_once_a_round_after_its_predecessors) {
  for (auto const* graph : {&diamond, &diamond_without_runs_on, &chain, &two_chains})
    for (std::uint64_t const workers : {1, 2})
      EXPECT_TRUE(always_right(trial{*graph, workers}.with(fault::none), 1)) << workers;
  EXPECT_TRUE(always_right(trial{chain, 2, 2}.with(fault::none)));
  EXPECT_TRUE(always_right(trial{diamond, 2, 2}.with(fault::none)));
}

TEST(graph_interleavings, of_three_workers_run_each_task_once) {
  EXPECT_TRUE(always_right(trial{diamond, 3}.with(fault::none)));
}

TEST(graph_interleavings, are_right_in_each_round_that_begins_with_the_memory_of_the_last) {
  trial round = {diamond};
  for (; round.first_round < 5; ++round.first_round) {
    shared left = {};
    EXPECT_TRUE(always_right(round.with(fault::none, &left))) << round.first_round;
    round.start = left;
  }
}

TEST(graph_interleavings, never_tell_of_an_end_that_a_stop_came_before) {
  for (auto const* graph : {&diamond, &chain, &two_chains})
    for (std::uint64_t const workers : {1, 2})
      EXPECT_TRUE(always_right(trial{*graph, workers, 1, true}.with(fault::none), 1)) << workers;
  EXPECT_TRUE(always_right(trial{chain, 2, 2, true}.with(fault::none)));
}

TEST(graph_interleavings, begin_early_where_successors_are_counted_before_the_result_is_there) {
  EXPECT_TRUE(trial{diamond}.shows(fault::counts_before_the_result_is_there));
}

TEST(graph_interleavings, wait_for_ever_where_a_worker_waits_first_for_the_last_task_it_claimed) {
  trial const alone = {diamond_without_runs_on, 1};
  EXPECT_GT(alone.with(fault::waits_first_for_the_last_it_claimed).deadlocks, 0u);
}

TEST(graph_interleavings, run_a_task_twice_that_is_run_on_with_and_in_the_order) {
  plan const twice = {diamond.predecessors, {0, 1, 2, 3}, diamond.runs_on};
  EXPECT_TRUE(trial{twice}.shows(fault::none));
}

TEST(graph_interleavings, begin_early_in_the_second_round_where_tasks_need_the_same_in_each) {
  trial const two_rounds = {diamond, 2, 2};
  EXPECT_TRUE(two_rounds.shows(fault::needs_the_same_in_each_round));
}

TEST(graph_interleavings, lose_a_claimed_task_where_a_worker_reports_after_a_stop) {
  trial const stopped = {diamond, 2, 1, true};
  EXPECT_TRUE(stopped.shows(fault::reports_after_a_stop));
}

TEST(graph_interleavings, run_nothing_in_a_round_whose_claims_were_not_cleared) {
  trial const three_rounds = {diamond, 1, 3};
  EXPECT_TRUE(three_rounds.shows(fault::leaves_the_claims_of_the_next_round));
}

TEST(graph_interleavings, run_tasks_twice_where_the_claims_of_the_round_itself_are_cleared) {
  EXPECT_TRUE(trial{diamond}.shows(fault::clears_the_claims_of_its_own_round));
}

TEST(graph_interleavings, go_wrong_where_a_round_begins_before_the_last_has_ended) {
  trial const two_rounds = {diamond, 2, 2};
  EXPECT_TRUE(two_rounds.shows(fault::begins_a_round_before_the_last_has_ended));
}

}  // namespace
}  // namespace ballast::test::graph_interleavings
