// SPDX-License-Identifier: Apache-2.0
#include "graph_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ballast::test::graph_plan_test {
namespace {

using detail::graph_plan;
using detail::max_run_on;
using detail::no_graph_task;
using testing::ElementsAre;
using testing::IsEmpty;

using numbers = std::vector<std::uint32_t>;

/// A graph that grows by a task at a time.
struct growing_graph {
  std::vector<std::uint32_t> first = {0}, before;
  std::vector<float> costs;
  numbers blocks = {};

  std::uint32_t add(numbers const& after = {}, float cost = 0) {
    before.insert(before.end(), after.begin(), after.end());
    first.push_back(std::uint32_t(before.size()));
    costs.push_back(cost);
    blocks.push_back(1);
    return std::uint32_t(costs.size() - 1);
  }
  std::uint32_t add_grid(std::uint32_t of_blocks, numbers const& after = {}, float cost = 0) {
    auto const task = add(after, cost);
    blocks.back() = of_blocks;
    return task;
  }
  graph_plan planned(std::uint32_t workers = 4) const {
    return detail::plan_graph({first, before, costs, blocks}, workers);
  }
  numbers predecessors(std::uint32_t task) const {
    numbers all(before.begin() + first[task], before.begin() + first[task + 1]);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
};

numbers successors(graph_plan const& plan, std::uint32_t task) {
  return {plan.successors.begin() + plan.first_successor[task],
          plan.successors.begin() + plan.first_successor[task + 1]};
}

/// The tasks in the order in which one worker runs them.
numbers run_by_one_worker(graph_plan const& plan) {
  numbers ran;
  for (auto task : plan.order)
    for (; task != no_graph_task; task = plan.runs_on[task]) ran.push_back(task);
  return ran;
}

/// The place of each task's claim: its own, or that of the task it runs on after.
numbers claims(graph_plan const& plan) {
  numbers place(plan.needs.size(), no_graph_task);
  for (std::uint32_t i = 0; i < plan.order.size(); ++i)
    for (auto task = plan.order[i]; task != no_graph_task; task = plan.runs_on[task]) place[task] = i;
  return place;
}

bool runs_each_task_once(graph_plan const& plan) {
  auto ran = run_by_one_worker(plan);
  std::ranges::sort(ran);
  for (std::uint32_t i = 0; i < ran.size(); ++i)
    if (ran[i] != i) return false;
  return ran.size() == plan.needs.size();
}

bool claims_predecessors_first(growing_graph const& graph, graph_plan const& plan) {
  auto const place = claims(plan);
  for (std::uint32_t task = 0; task < place.size(); ++task)
    for (auto const before : graph.predecessors(task))
      if (plan.runs_on[before] == task ? place[before] != place[task] : place[before] >= place[task])
        return false;
  return true;
}

bool runs_on_with_those_that_wait_alone(graph_plan const& plan) {
  for (auto const head : plan.order) {
    std::uint32_t in_a_row = 0;
    for (auto task = plan.runs_on[head]; task != no_graph_task; task = plan.runs_on[task])
      if (plan.needs[task] != 1 || ++in_a_row > max_run_on) return false;
  }
  return true;
}

bool has_each_edge_once(growing_graph const& graph, graph_plan const& plan) {
  std::size_t edges = 0;
  for (std::uint32_t task = 0; task < plan.needs.size(); ++task) {
    auto const before = graph.predecessors(task);
    auto needs = plan.needs[task];
    edges += before.size();
    for (auto const one : before) {
      needs -= plan.places[one];
      if (std::ranges::count(successors(plan, one), task) != 1) return false;
    }
    if (needs != 0) return false;
  }
  return edges == plan.successors.size();
}

void expect_legal(growing_graph const& graph, std::uint32_t workers) {
  auto const plan = graph.planned(workers);
  EXPECT_TRUE(runs_each_task_once(plan)) << workers;
  EXPECT_TRUE(claims_predecessors_first(graph, plan)) << workers;
  EXPECT_TRUE(runs_on_with_those_that_wait_alone(plan)) << workers;
  EXPECT_TRUE(has_each_edge_once(graph, plan)) << workers;
}

growing_graph chains(std::uint32_t count, std::uint32_t length) {
  growing_graph graph;
  for (std::uint32_t chain = 0; chain < count; ++chain)
    for (std::uint32_t i = 0; i < length; ++i)
      graph.add(i == 0 ? numbers{} : numbers{std::uint32_t(graph.costs.size() - 1)});
  return graph;
}

std::uint32_t below(std::uint32_t limit, std::mt19937& random) { return std::uint32_t(random() % limit); }

growing_graph random_layers(std::uint32_t layers, std::uint32_t width, std::mt19937& random) {
  growing_graph graph;
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t i = 0; i < width; ++i) {
      numbers after;
      for (auto edges = below(3, random) + 1; layer > 0 && edges > 0; --edges)
        after.push_back((layer - 1) * width + below(width, random));
      graph.add(after, float(below(50, random)));
    }
  return graph;
}

TEST(graph_plan, of_no_task_is_empty) {
  auto const plan = growing_graph().planned();
  EXPECT_THAT(plan.order, IsEmpty());
  EXPECT_THAT(plan.successors, IsEmpty());
}

TEST(graph_plan, of_one_task_is_that_task) {
  growing_graph graph;
  graph.add();
  auto const plan = graph.planned();
  EXPECT_THAT(plan.order, ElementsAre(0));
  EXPECT_THAT(plan.runs_on, ElementsAre(no_graph_task));
}

TEST(graph_plan, begins_the_task_with_the_longest_path_to_the_end_first) {
  growing_graph graph;
  graph.add({}, 5);
  graph.add({}, 1);
  graph.add({1}, 9);
  graph.add({1}, 3);
  EXPECT_THAT(graph.planned(1).order, ElementsAre(1, 0, 3));
}

TEST(graph_plan, without_costs_counts_the_tasks_of_a_path) {
  growing_graph graph;
  graph.add();
  graph.add();
  graph.add({1});
  EXPECT_THAT(graph.planned(1).order, ElementsAre(1, 0));
}

TEST(graph_plan, begins_an_urgent_task_later_than_one_that_is_ready_before_it) {
  growing_graph graph;
  graph.add({}, 9);
  graph.add({}, 1);
  for (std::uint32_t const before : {0u, 0u, 1u, 1u}) graph.add({before}, before == 0 ? 5.0f : 1.0f);
  EXPECT_THAT(graph.planned(2).order, ElementsAre(0, 1, 5, 3));
}

TEST(graph_plan, runs_a_chain_on_for_at_most_16_tasks) {
  auto const plan = chains(1, 2 * max_run_on + 3).planned();
  EXPECT_THAT(plan.order, ElementsAre(0, max_run_on + 1, 2 * max_run_on + 2));
}

TEST(graph_plan, runs_on_with_the_most_urgent_of_those_that_wait_alone) {
  growing_graph graph;
  graph.add();
  graph.add({0}, 1);
  graph.add({0}, 2);
  graph.add({0, 1}, 9);
  EXPECT_THAT(graph.planned().runs_on, ElementsAre(1, no_graph_task, no_graph_task, no_graph_task));
}

TEST(graph_plan, interleaves_chains_that_were_added_one_after_another) {
  auto const plan = chains(8, 40).planned(8);
  EXPECT_THAT(numbers(plan.order.begin(), plan.order.begin() + 8),
              ElementsAre(0, 40, 80, 120, 160, 200, 240, 280));
}

TEST(graph_plan, counts_a_predecessor_that_is_named_twice_once) {
  growing_graph graph;
  graph.add();
  graph.add();
  graph.add({0, 1, 0, 0, 1});
  EXPECT_EQ(graph.planned().needs[2], 2u);
  expect_legal(graph, 2);
}

TEST(graph_plan, of_chains_trees_and_layers_is_legal_for_any_workers) {
  std::mt19937 random(7);
  growing_graph tree;
  tree.add();
  for (std::uint32_t i = 1; i < 300; ++i) tree.add({(i - 1) / 2});
  for (std::uint32_t const workers : {1u, 3u, 1000u}) {
    expect_legal(chains(5, 70), workers);
    expect_legal(tree, workers);
    expect_legal(random_layers(20, 15, random), workers);
  }
}

TEST(graph_plan, of_random_graphs_is_legal) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    growing_graph graph;
    auto const tasks = below(40, random);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      numbers after;
      for (auto edges = below(4, random); task > 0 && edges > 0; --edges)
        after.push_back(below(task, random));
      graph.add_grid(below(4, random) == 0 ? 1 + below(20, random) : 1, after, float(below(3, random)));
    }
    expect_legal(graph, 1 + below(5, random));
  }
}

TEST(graph_plan, gives_a_grid_a_place_for_each_block_up_to_four_for_each_worker) {
  growing_graph graph;
  for (std::uint32_t const blocks : {2u, 16u, 17u, 16'777'215u}) graph.add_grid(blocks);
  EXPECT_THAT(graph.planned(4).places, ElementsAre(2, 16, 16, 16));
}

TEST(graph_plan, gives_a_grid_of_short_blocks_fewer_places_but_one_for_each_worker) {
  growing_graph graph;
  for (float const cost : {0.01f, 0.12f, 1.0f}) graph.add_grid(100, {}, cost);
  EXPECT_THAT(graph.planned(4).places, ElementsAre(4, 8, 16));
}

TEST(graph_plan, counts_the_places_of_a_grid_for_what_waits_for_it_and_never_runs_on_beside_it) {
  growing_graph graph;
  auto const before = graph.add();
  auto const grid = graph.add_grid(3, {before, before});
  auto const next = graph.add_grid(9, {grid});
  graph.add({next});
  auto const plan = graph.planned(1);
  EXPECT_THAT(plan.needs, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(plan.order, ElementsAre(0, 1, 2, 3));
}

TEST(graph_plan, counts_the_turns_of_the_workers_in_a_grid_as_its_length) {
  growing_graph graph;
  graph.add({}, 15);
  graph.add_grid(8, {}, 10);
  EXPECT_THAT(graph.planned(4).order, ElementsAre(1, 0));
  EXPECT_THAT(graph.planned(8).order, ElementsAre(0, 1));
}

TEST(graph_plan, of_a_task_after_100000_others_is_legal) {
  growing_graph graph;
  numbers all;
  for (std::uint32_t i = 0; i < 100'000; ++i) all.push_back(graph.add());
  graph.add(all);
  auto const plan = graph.planned(100);
  EXPECT_EQ(plan.needs.back(), 100'000u);
  EXPECT_EQ(plan.order.back(), 100'000u);
  EXPECT_TRUE(runs_each_task_once(plan));
}

TEST(graph_plan, of_a_million_tasks_is_legal) {
  std::mt19937 random(1);
  auto const graph = random_layers(1000, 1000, random);
  auto const plan = graph.planned(264);
  EXPECT_TRUE(runs_each_task_once(plan));
  EXPECT_TRUE(claims_predecessors_first(graph, plan));
  EXPECT_TRUE(runs_on_with_those_that_wait_alone(plan));
}

}  // namespace
}  // namespace ballast::test::graph_plan_test
