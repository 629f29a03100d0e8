// SPDX-License-Identifier: Apache-2.0
#include "graph_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/task_graph.hpp"
#include "ballast/trace.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using numbers = std::vector<std::uint32_t>;

std::optional<std::uint64_t> count_of(span const& one, std::string_view name) {
  for (auto const& count : one.counts)
    if (count.name == name) return count.value;
  return std::nullopt;
}

std::vector<span> rounds_in(std::vector<span> const& spans) {
  std::vector<span> found;
  std::ranges::copy_if(spans, std::back_inserter(found),
                       [](auto const& one) { return one.worker >= first_graph_worker; });
  return found;
}

/// The tasks on critical paths, as they begin.
std::vector<std::uint64_t> critical_tasks(std::vector<span> spans) {
  std::ranges::stable_sort(spans, {}, &span::begin_ns);
  std::vector<std::uint64_t> tasks;
  for (auto const& one : spans)
    if (count_of(one, critical_path)) tasks.push_back(*count_of(one, "graph_task"));
  return tasks;
}

/// 0 before 1 and 2, and these before 3; nodes have other numbers.
traced_graph diamond(std::uint64_t uid = 1) { return {uid, {0, 0, 1, 2, 4}, {0, 0, 1, 2}, {0, 2, 1, 3}}; }

struct rounds_of : traced_rounds {
  explicit rounds_of(std::vector<traced_graph> const& graphs) : traced_rounds(graphs.size()) {
    for (auto const& one : graphs) add(std::make_shared<traced_graph>(one));
  }
};

task_span ran(std::uint32_t worker, std::uint32_t task, std::int64_t begin_us, std::int64_t end_us,
              std::uint32_t round = 1) {
  return {worker, begin_us * 1000, end_us * 1000, {0, 1}, 0, round, task};
}

// Worker 1 runs 0, 2 and 3; worker 2 waits for 0, and then runs 1.
std::vector<task_span> const of_diamond = {ran(1, 0, 100, 110), ran(1, 2, 111, 141), ran(1, 3, 143, 150),
                                           ran(2, 1, 112, 130)};

TEST(graph_trace, says_length_critical_path_work_and_waits_of_a_round) {
  auto const spans = spans_of_tasks(of_diamond, rounds_of({diamond()}), graph_kernels());
  auto const rounds = rounds_in(spans);
  ASSERT_EQ(rounds.size(), 1u);
  auto const& round = rounds[0];
  auto const name = graph_kernels().kernels()[0].name;
  EXPECT_EQ(round.label, "graph, critical path of 47 us: " + name + " 0 " + name + " 2 " + name + " 3");
  EXPECT_EQ(round.begin_ns, 100'000);
  EXPECT_EQ(round.end_ns, 150'000);
  EXPECT_EQ(round.tasks, 4u);
  EXPECT_EQ(count_of(round, "critical_path_ns"), 47'000u);
  EXPECT_EQ(count_of(round, "work_ns"), 65'000u);
  EXPECT_EQ(count_of(round, "waited_ns"), 12'000u);
  EXPECT_EQ(critical_tasks(spans), (std::vector<std::uint64_t>{0, 2, 3}));
}

TEST(graph_trace, says_for_how_long_and_for_which_task_a_worker_waited) {
  auto const spans = spans_of_tasks(of_diamond, rounds_of({diamond()}), graph_kernels());
  for (std::size_t i = 0; i < 3; ++i) {  // no predecessor ended while their worker was free
    EXPECT_EQ(count_of(spans[i], "waited_ns"), std::nullopt) << i;
    EXPECT_EQ(count_of(spans[i], "waited_for"), std::nullopt) << i;
  }
  EXPECT_EQ(count_of(spans[3], "waited_ns"), 12'000u);
  EXPECT_EQ(count_of(spans[3], "waited_for"), 0u);
}

TEST(graph_trace, says_for_which_of_several_predecessors_a_worker_waited_last) {
  std::vector<task_span> const tasks = {ran(1, 0, 0, 10), ran(1, 2, 10, 60), ran(2, 1, 12, 30),
                                        ran(2, 3, 61, 70)};
  auto const spans = spans_of_tasks(tasks, rounds_of({diamond()}), graph_kernels());
  EXPECT_EQ(count_of(spans[3], "waited_ns"), 31'000u);
  EXPECT_EQ(count_of(spans[3], "waited_for"), 2u);
  EXPECT_EQ(count_of(rounds_in(spans).at(0), "waited_ns"), 12'000u + 31'000u);
}

TEST(graph_trace, counts_no_wait_while_a_worker_ran_other_tasks) {
  auto tasks = of_diamond;
  tasks.insert(tasks.begin() + 3, ran(2, 0, 90, 108, 0));
  auto const spans = spans_of_tasks(tasks, rounds_of({diamond()}), graph_kernels());
  EXPECT_EQ(count_of(spans[3], "round"), std::nullopt);
  EXPECT_EQ(count_of(spans[3], "waited_ns"), std::nullopt);
  EXPECT_EQ(count_of(spans[4], "waited_ns"), 4'000u);
  EXPECT_EQ(count_of(spans[4], "waited_for"), 0u);
}

TEST(graph_trace, says_how_many_tasks_it_has_of_a_round_that_is_not_whole) {
  auto const spans = spans_of_tasks(std::span(of_diamond).first(2), rounds_of({diamond()}), graph_kernels());
  EXPECT_THAT(rounds_in(spans).at(0).label, testing::EndsWith(" (2 of 4 tasks recorded)"));
  EXPECT_EQ(critical_tasks(spans), (std::vector<std::uint64_t>{0, 2}));
}

TEST(graph_trace, counts_a_grid_once_over_all_its_nodes) {
  traced_graph const grid_before_task{1, {0, 0, 1}, {0}, {0, 0, 0, 1}};
  std::vector<task_span> const tasks = {ran(1, 0, 0, 10), ran(1, 0, 10, 20), ran(1, 1, 31, 35),
                                        ran(2, 0, 0, 30)};
  auto const spans = spans_of_tasks(tasks, rounds_of({grid_before_task}), graph_kernels());
  auto const round = rounds_in(spans).at(0);
  auto const name = graph_kernels().kernels()[0].name;
  EXPECT_EQ(round.label, "graph, critical path of 34 us: " + name + " 0 " + name + " 1");
  EXPECT_EQ(round.tasks, 2u);
}

TEST(graph_trace, has_the_tasks_of_a_rest_by_their_numbers) {
  auto rest = diamond();
  rest.task_of_node = {3, 1};
  std::vector<task_span> const tasks = {ran(1, 1, 0, 10), ran(1, 3, 10, 30)};
  auto const spans = spans_of_tasks(tasks, rounds_of({rest}), graph_kernels());
  auto const round = rounds_in(spans).at(0);
  auto const name = graph_kernels().kernels()[0].name;
  EXPECT_EQ(round.label, "graph, critical path of 30 us: " + name + " 1 " + name + " 3");
  EXPECT_EQ(critical_tasks(spans), (std::vector<std::uint64_t>{1, 3}));
}

TEST(graph_trace, has_a_line_for_each_graph_and_a_path_for_each_round) {
  std::vector<task_span> const tasks = {ran(1, 0, 1, 2, 1), ran(1, 0, 3, 4, 2), ran(1, 0, 5, 6, 3)};
  auto const spans = spans_of_tasks(tasks, rounds_of({diamond(7), diamond(8), diamond(7)}), graph_kernels());
  auto const rounds = rounds_in(spans);
  ASSERT_EQ(rounds.size(), 3u);
  EXPECT_EQ(rounds[0].worker, rounds[2].worker);
  EXPECT_NE(rounds[0].worker, rounds[1].worker);
  EXPECT_NE(count_of(spans[0], critical_path), count_of(spans[2], critical_path));
}

TEST(graph_trace, names_the_first_tasks_of_a_long_path) {
  traced_graph chain{1, {0}, {}, {}};
  std::vector<task_span> tasks;
  for (std::uint32_t i = 0; i < 11; ++i) {
    if (i > 0) chain.predecessors.push_back(i - 1);
    chain.first_predecessor.push_back(i);
    chain.task_of_node.push_back(i);
    tasks.push_back(ran(1, i, i, i + 1));
  }
  auto const spans = spans_of_tasks(tasks, rounds_of({chain}), graph_kernels());
  EXPECT_THAT(rounds_in(spans).at(0).label, testing::EndsWith(" 7 and 3 more"));
}

TEST(traced_rounds, are_numbered_over_all_runs_up_to_the_most_of_each) {
  traced_rounds rounds(2);
  auto const graph = std::make_shared<traced_graph>(diamond());
  EXPECT_EQ(rounds.add(graph), 1u);
  EXPECT_EQ(rounds.add(graph), 2u);
  EXPECT_EQ(rounds.add(graph), 0u);
  rounds.begin_run();
  EXPECT_EQ(rounds.add(graph), 3u);
  EXPECT_EQ(rounds.find(3), graph.get());
  for (std::uint32_t const unknown : {0u, 1u, 2u, 4u}) EXPECT_EQ(rounds.find(unknown), nullptr) << unknown;
}

TEST(traced_rounds, that_are_unknown_name_no_submission) {
  traced_rounds rounds(1);
  auto graph = diamond();
  graph.task_of_node = {3, 2, 1, 0};
  rounds.add(std::make_shared<traced_graph>(graph));
  auto const named = [&](std::uint32_t round, std::uint32_t node) {
    task_span made;
    name_work(made, {0, 0, 0, 0, round, node}, rounds);
    return numbers{made.round, made.task, made.submission, made.ring};
  };
  EXPECT_EQ(named(1, 1), (numbers{1, 2, 0, 0}));
  EXPECT_EQ(named(2, 1), (numbers{0, 0, 0, 0}));
  EXPECT_EQ(named(0, traced_batch::word(2, 5)), (numbers{0, 0, 6, 2}));
}

/// A task of a graph that adds 1 to its own word.
graph_task add_visit(task_graph& graph, counted_words const& visits, std::uint32_t word,
                     std::vector<graph_task> after) {
  return graph.add(task(count_visit{visits.ref()}, {word, 1}), {.after = std::move(after)});
}

queue_options recorded_to(recorder* all) {
  auto options = test_options();
  options.start_at_once = false;
  options.trace_to = all;
  return options;
}

TEST(tasks_of_several_blocks, with_a_prepare_are_traced_from_their_first_block_on) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "compares times of the host's clock";
  gate held(3);
  auto options = test_options();
  options.trace_depth = 8;
  task_queue queue(first_device(), graph_kernels(), options);
  queue.submit(task(prepare_and_wait{held.kernel()}, {0, 3}));
  held.await_inside(1);
  auto const opened_ns = std::int64_t(steady_now_ns());
  held.open();
  queue.close();
  ASSERT_EQ(queue.task_spans().size(), 1u);
  EXPECT_LT(queue.task_spans()[0].begin_ns, opened_ns);
}

TEST(graphs_with_a_recorder, have_every_task_by_its_number_in_each_round) {
  recorder all({"first"});
  counted_words const visits(first_device(), 4);
  task_graph graph(graph_kernels());
  auto const first = add_visit(graph, visits, 0, {});
  auto const left = add_visit(graph, visits, 1, {first}), right = add_visit(graph, visits, 2, {first});
  add_visit(graph, visits, 3, {left, right});
  task_queue queue(first_device(), graph_kernels(), recorded_to(&all));
  graph.plan(queue);
  for (std::uint32_t run = 0; run < 2; ++run) {
    queue.start();
    for (int round = 0; round < 2; ++round) queue.submit(graph);
    queue.submit(task(count_visit{visits.ref()}));
    queue.close();
    std::vector<numbers> words(5);
    for (auto const& one : queue.task_spans()) {
      words.at(one.round == 0 ? 0 : one.round - 2 * run).push_back(one.task);
      EXPECT_EQ(one.range.first, one.task);  // the other task has block 0
    }
    EXPECT_THAT(words[0], testing::ElementsAre(0));
    for (int round = 1; round < 3; ++round)
      EXPECT_THAT(words[std::size_t(round)], testing::UnorderedElementsAre(0, 1, 2, 3)) << round;
  }
  EXPECT_EQ(rounds_in(all.snapshot().spans).size(), 4u);
}

TEST(graphs_with_a_recorder, have_the_tasks_that_were_added_since_the_last_round) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "an allocation may wait for the resident kernel";
  recorder all({"first"});
  counted_words const visits(first_device(), 2);
  task_graph graph(graph_kernels());
  task_queue queue(first_device(), graph_kernels(), recorded_to(&all));
  queue.start();
  auto const first = add_visit(graph, visits, 0, {});
  queue.submit(graph);
  add_visit(graph, visits, 1, {first});
  queue.submit(graph);
  queue.close();
  auto const spans = all.snapshot().spans;
  auto const rounds = rounds_in(spans);
  ASSERT_EQ(rounds.size(), 2u);
  EXPECT_EQ(rounds[0].tasks, 1u);
  EXPECT_EQ(rounds[1].tasks, 2u);
  EXPECT_EQ(rounds[0].worker, rounds[1].worker);
  EXPECT_EQ(critical_tasks(spans), (std::vector<std::uint64_t>{0, 0, 1}));
}

TEST(graphs_with_a_recorder, have_the_critical_path_of_a_chain_that_has_ended_before_the_queue) {
  recorder all({"first"});
  counted_words const visits(first_device(), 5);
  task_queue queue(first_device(), graph_kernels(), recorded_to(&all));
  {
    task_graph graph(graph_kernels());
    std::vector<graph_task> after;
    for (std::uint32_t i = 0; i < 5; ++i) after = {add_visit(graph, visits, i, after)};
    graph.plan(queue);
    queue.start();
    queue.submit(graph).wait();
  }
  queue.close();
  auto const rounds = rounds_in(all.snapshot().spans);
  ASSERT_EQ(rounds.size(), 1u);
  for (auto const& round : rounds) {
    EXPECT_EQ(round.tasks, 5u);
    EXPECT_EQ(count_of(round, "critical_path_ns"), count_of(round, "work_ns"));
    EXPECT_LE(*count_of(round, "work_ns"), std::uint64_t(round.end_ns - round.begin_ns));
  }
}

}  // namespace
}  // namespace ballast::test
