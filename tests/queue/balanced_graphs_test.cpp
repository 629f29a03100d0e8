// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_graph.hpp"
#include "feeder.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"
#include "graph_plan.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using numbers = std::vector<std::uint32_t>;

balanced_options options_for_graphs() {
  balanced_options options;
  options.queue = test_options();
  return options;
}

/// A graph of a chain and of tasks that wait for nothing, in memory that all devices address, and what rounds
/// in order give.
class pinned_graph {
 public:
  explicit pinned_graph(std::uint32_t nodes) : nodes_(nodes), values_(nodes * words), before_(nodes) {
    std::optional<graph_task> last;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      before_.ref()[node] = node;
      graph_task_options options{.after = {}, .cost = 10};
      if (has_predecessor(node)) options.after = {*last};
      last = graph.add(task(kernel(node), {node, 1}), options);
    }
  }

  void expect_rounds(std::uint32_t rounds) {
    for (; rounds > 0; --rounds)
      for (std::uint32_t node = 0; node < nodes_; ++node)
        for (std::uint32_t i = 0; i < words; ++i) {
          auto& mine = expected_[node * words + i];
          auto const sum = mine * 5 + node + i;
          mine = has_predecessor(node) ? sum * 31 + expected_[(node - 1) * words + (i + 1) % words] : sum;
        }
  }
  bool is_right() const { return values_.read() == expected_; }

  task_graph graph{graph_kernels()};

 private:
  static constexpr auto words = mix_predecessors::words;

  static bool has_predecessor(std::uint32_t node) { return node % 5 != 0; }
  mix_predecessors kernel(std::uint32_t node) const {
    return {values_.ref(), before_.ref(), has_predecessor(node) ? node - 1 : 0,
            has_predecessor(node) ? 1u : 0u, 5};
  }

  std::uint32_t nodes_;
  shared_visits values_, before_;
  numbers expected_ = numbers(nodes_ * words, 0);
};

/// Plans graphs while no resident kernel runs.
void plan(balanced_queue& queue, std::vector<task_graph*> const& graphs) {
  queue.close();
  for (auto* const one : graphs) one->plan(queue);
  queue.start();
}

std::vector<std::uint64_t> submitted_to(balanced_queue& queue) {
  std::vector<std::uint64_t> of_each;
  for (std::size_t i = 0; i < queue.size(); ++i) of_each.push_back(queue.on(i).statistics().submitted);
  return of_each;
}

TEST(graphs_of_a_balanced_queue, spread_over_the_devices) {
  std::deque<pinned_graph> graphs;
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  queue.close();
  for (std::uint32_t i = 0; i < 6; ++i) graphs.emplace_back(20).graph.plan(queue);
  queue.start();
  for (int round = 0; round < 10; ++round)
    for (auto& one : graphs) queue.submit(one.graph);
  EXPECT_THAT(submitted_to(queue), testing::Each(testing::Gt(0u)));
  queue.close();
  for (auto& one : graphs) {
    one.expect_rounds(10);
    EXPECT_TRUE(one.is_right());
  }
}

TEST(graphs_of_a_balanced_queue, run_again_in_order_where_they_ran_before) {
  pinned_graph one(30);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  plan(queue, {&one.graph});
  for (int round = 0; round < 50; ++round) {
    auto const done = queue.submit(one.graph);
    if (round % 10 == 0) done.wait();
  }
  queue.wait_all();
  one.expect_rounds(50);
  EXPECT_TRUE(one.is_right());
  EXPECT_GT(submitted_to(queue).front(), 0u);
  for (std::size_t i = 1; i < queue.size(); ++i) EXPECT_EQ(submitted_to(queue)[i], 0u);
  queue.close();
}

TEST(graphs_of_a_balanced_queue, run_beside_tasks_each_of_which_runs_once) {
  std::uint32_t const n = 3000;
  shared_visits const visits(n);
  auto const tasks = visits_of(visits.ref(), n);
  pinned_graph one(20), other(40);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  plan(queue, {&one.graph, &other.graph});
  for (std::uint32_t i = 0; i < 30; ++i) {
    queue.submit(std::span(tasks).subspan(100 * i, 100));
    queue.submit(one.graph);
    queue.submit(other.graph);
  }
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  one.expect_rounds(30);
  other.expect_rounds(30);
  EXPECT_TRUE(one.is_right());
  EXPECT_TRUE(other.is_right());
}

TEST(graphs_of_a_balanced_queue, go_to_it_from_many_threads) {
  std::uint32_t const threads = 4, rounds = 20;
  std::deque<pinned_graph> own;
  pinned_graph common(15);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  queue.close();
  common.graph.plan(queue);
  for (std::uint32_t i = 0; i < threads; ++i) own.emplace_back(10 + i).graph.plan(queue);
  queue.start();
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      submitters.emplace_back([&, i] {
        for (std::uint32_t round = 0; round < rounds; ++round) {
          queue.submit(own[i].graph);
          queue.submit(common.graph);
        }
      });
  }
  queue.close();
  common.expect_rounds(threads * rounds);
  EXPECT_TRUE(common.is_right());
  for (auto& one : own) {
    one.expect_rounds(rounds);
    EXPECT_TRUE(one.is_right());
  }
}

TEST(graphs_of_a_balanced_queue, are_not_handed_back_by_a_stop_and_run_whole_in_the_next_run) {
  std::uint32_t const n = 20;
  gate held(1);
  shared_visits const visits(n);
  task_graph graph(graph_kernels());
  graph_task_options const last{.after = {graph.add(held.holder(0))}};
  for (std::uint32_t i = 0; i < n; ++i) graph.add(task(count_visit{visits.ref()}, {i, 1}), last);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  plan(queue, {&graph});
  queue.submit(graph);
  auto const waiting = queue.submit(graph);
  held.await_inside(1);
  queue.request_stop();
  {
    std::jthread const opener([&] { held.open(); });
    EXPECT_TRUE(queue.stop().empty());
  }
  EXPECT_THROW(waiting.wait(), stopped);
  EXPECT_THROW(queue.close(), stopped);
  auto expected = visits.read();
  queue.start();
  queue.submit(graph);
  queue.close();
  for (auto& count : expected) ++count;
  EXPECT_EQ(visits.read(), expected);
}

TEST(graphs_of_a_balanced_queue, that_threads_submit_during_a_stop_run_whole_in_the_next_run) {
  std::uint32_t const threads = 3, n = 20;
  std::deque<shared_visits> visits;
  std::deque<task_graph> graphs;
  for (std::uint32_t i = 0; i < threads; ++i) {
    visits.emplace_back(n);
    auto& graph = graphs.emplace_back(graph_kernels());
    graph_task_options const last{.after = {graph.add(task(count_visit{visits[i].ref()}, {0, 1}))}};
    for (std::uint32_t word = 1; word < n; ++word)
      graph.add(task(count_visit{visits[i].ref()}, {word, 1}), last);
  }
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  plan(queue, {&graphs[0], &graphs[1], &graphs[2]});
  {
    std::vector<std::jthread> submitters;
    for (auto& graph : graphs)
      submitters.emplace_back([&] {
        try {
          for (;;) queue.submit(graph);
        } catch (error const&) {}  // the queue was stopped
      });
    while (submitted_to(queue).front() < 100) std::this_thread::yield();
    EXPECT_TRUE(queue.stop().empty());
  }
  std::vector<numbers> expected;
  for (auto const& one : visits) expected.push_back(one.read());
  queue.start();
  for (auto& graph : graphs) queue.submit(graph);
  queue.close();
  queue.close();
  for (std::uint32_t i = 0; i < threads; ++i) {
    for (auto& count : expected[i]) ++count;
    EXPECT_EQ(visits[i].read(), expected[i]);
  }
}

TEST(graphs_of_a_balanced_queue, are_refused_while_it_is_closed) {
  pinned_graph one(10);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  queue.close();
  one.graph.plan(queue);
  EXPECT_THROW(queue.submit(one.graph), error);
  queue.start();
  queue.submit(one.graph);
  queue.close();
  EXPECT_THROW(queue.submit(one.graph), error);
  one.expect_rounds(1);
  EXPECT_TRUE(one.is_right());
}

TEST(graphs_of_a_balanced_queue, have_no_shares_and_need_its_set) {
  pinned_graph one(10);
  balanced_queue queue(test_devices(), graph_kernels(), options_for_graphs());
  plan(queue, {&one.graph});
  auto const done = queue.submit(one.graph);
  done.wait();
  EXPECT_EQ(refused_argument([&] { queue.shares(done); }), "completion");
  task_graph of_another_set(kernels());
  EXPECT_EQ(refused_argument([&] { queue.submit(of_another_set); }), "graph");
  queue.close();
}

TEST(graphs_of_a_balanced_queue, that_fail_end_with_the_kernels_name_and_so_does_the_queue) {
  auto const cores = open_devices("host:1,host:1");
  task_graph graph(graph_kernels());
  graph.add(task(fail{}));
  balanced_options options;
  options.queue = test_options(*cores.front());
  balanced_queue queue(cores, graph_kernels(), options);
  auto const done = queue.submit(graph);
  try {
    done.wait();
    ADD_FAILURE() << "the failure was lost";
  } catch (device_lost const& lost) { EXPECT_THAT(lost.what(), testing::HasSubstr("fail")); }
  EXPECT_THROW(queue.wait_all(), device_lost);
  EXPECT_THROW(queue.submit(graph), device_lost);
  EXPECT_TRUE(queue.stop().empty());
}

TEST(graphs_of_a_balanced_queue, move_while_they_are_idle_away_from_a_busy_device) {
  auto const cores = open_devices("host:1,host:1");
  gate held(1);
  pinned_graph short_one(10), other(40);
  task_graph long_one(graph_kernels());
  long_one.add(held.holder(0), {.after = {}, .cost = 1e6});
  auto options = options_for_graphs();
  options.queue.resident.blocks = 0;
  balanced_queue queue(cores, graph_kernels(), options);
  plan(queue, {&short_one.graph, &other.graph, &long_one});
  queue.submit(long_one);
  held.await_inside(1);
  queue.submit(short_one.graph).wait();
  EXPECT_THAT(submitted_to(queue), testing::ElementsAre(1, 1));
  held.open();
  queue.submit(short_one.graph);
  queue.close();
  short_one.expect_rounds(2);
  EXPECT_TRUE(short_one.is_right());
}

TEST(a_device_for_a_graph, is_the_one_that_is_free_first) {
  given_work const idle, of_graphs{.graphs_us = 100}, of_tasks{.tasks = 1000, .workers = 4};
  EXPECT_EQ(device_for_graph(std::vector{of_graphs, of_tasks, idle}, {}, 1), 2u);
  EXPECT_EQ(device_for_graph(std::vector{of_tasks, of_graphs}, {}, 1), 1u);
  EXPECT_GT(of_tasks.busy_us(), of_graphs.busy_us());
}

TEST(a_device_for_a_graph, is_of_idle_ones_the_one_with_the_shorter_graphs) {
  given_work const one{.placed_us = 10}, other{.placed_us = 9};
  EXPECT_EQ(device_for_graph(std::vector{one, other}, {}, 1), 1u);
  EXPECT_EQ(device_for_graph(std::vector{one, one}, {}, 1), 0u);
}

TEST(a_device_for_a_graph, stays_unless_another_is_free_earlier_by_over_four_of_its_lengths) {
  given_work const busy{.graphs_us = 40}, idle;
  EXPECT_EQ(device_for_graph(std::vector{idle, busy}, 1, 10), 1u);
  EXPECT_EQ(device_for_graph(std::vector{idle, busy}, 1, 9), 0u);
  given_work const with_graphs{.placed_us = 50};
  EXPECT_EQ(device_for_graph(std::vector{idle, with_graphs}, 1, 10), 1u);
}

TEST(a_plan, is_as_long_as_its_tasks_with_what_each_takes_beside_its_cost) {
  numbers const first{0, 0, 1, 2}, before{0, 1};
  std::vector<float> const costs{10, 20, 30};
  graph_shape const chain{first, before, costs};
  EXPECT_EQ(plan_graph(chain, 2).length_us, 64.5);
  numbers const none{0, 0, 0, 0};
  graph_shape const apart{none, {}, costs};
  EXPECT_EQ(plan_graph(apart, 3).length_us, 31.5);
  EXPECT_EQ(plan_graph(apart, 1).length_us, 64.5);
}

TEST(the_graphs_that_a_device_was_given, count_as_finished_in_their_order) {
  gate held(1);
  auto const core = open_devices("host:1").front();
  task_queue queue(core, graph_kernels(), test_options(*core));
  given_graphs rounds;
  rounds.begin(1);
  rounds.add(1, queue.submit(held.holder(0)), 2, 5);
  rounds.add(1, completion(), 3, 7);
  rounds.add(0, completion(), 8, 9);  // its run has ended
  auto const at_first = rounds.look();
  EXPECT_EQ(at_first.given, 5u);
  EXPECT_EQ(at_first.finished, 0u);
  EXPECT_EQ(at_first.us, 12);
  held.open();
  queue.close();
  EXPECT_EQ(rounds.look().finished, 5u);
  EXPECT_EQ(rounds.look().us, 0);
}

}  // namespace
}  // namespace ballast::test
