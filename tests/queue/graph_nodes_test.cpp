// SPDX-License-Identifier: Apache-2.0
// Tasks of graphs that are more than a few words and one worker's: of many members, and grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/task_graph.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"
#include "graph_shapes.hpp"
#include "graph_state.hpp"
#include "graph_trace.hpp"
#include "large_kernels.cuh"

namespace ballast::test::graph_nodes_test {
namespace {

using graph_shapes::before_start;
using numbers = std::vector<std::uint32_t>;

struct large_graph {
  explicit large_graph(std::uint32_t tasks)
      : marks(tasks), queue(first_device(), large_kernels(), before_start()) {
    for (std::uint32_t i = 0; i < tasks; ++i) names.push_back(graph.add(task_of(i), {.after = names}));
    graph.plan(queue);
  }
  /// Tasks of 200, of 4000 and of few bytes by turns.
  task task_of(std::uint32_t i) const {
    if (i % 3 == 0) return task(mark_200_bytes::of(marks.ref(), i), {i, 1});
    if (i % 3 == 1) return task(mark_4000_bytes::of(marks.ref(), i), {i, 1});
    return task(add_one_plainly{marks.ref()}, {i, 1});
  }
  shared_visits marks;
  task_graph graph{large_kernels()};
  task_queue queue;
  std::vector<graph_task> names;
};

TEST(graph_nodes, of_many_members_get_them_whole_in_each_round) {
  large_graph large(12);
  large.queue.start();
  for (int round = 0; round < 3; ++round) large.queue.submit(large.graph);
  large.queue.close();
  EXPECT_EQ(large.marks.read(), numbers(12, 3));
}

TEST(graph_nodes, get_many_members_that_were_set_in_the_next_round) {
  large_graph large(6);
  shared_visits const others(6);
  large.queue.start();
  large.queue.submit(large.graph);
  large.graph.set(large.names[1], mark_4000_bytes::of(others.ref(), 77));
  large.graph.set(large.names[3], mark_200_bytes::of(others.ref(), 78));
  large.queue.submit(large.graph);
  large.queue.submit(large.graph);
  large.queue.close();
  EXPECT_EQ(large.marks.read(), (numbers{3, 1, 3, 1, 3, 3}));
  EXPECT_EQ(others.read(), (numbers{0, 2, 0, 2, 0, 0}));
}

TEST(graph_nodes, that_few_members_were_set_for_get_many_again) {
  large_graph large(4);
  large.queue.start();
  large.graph.set(large.names[1], add_one_plainly{large.marks.ref()});
  large.queue.submit(large.graph);
  large.graph.set(large.names[1], mark_200_bytes::of(large.marks.ref(), 5));
  large.queue.submit(large.graph);
  large.queue.close();
  EXPECT_EQ(large.marks.read(), numbers(4, 2));
}

TEST(graph_nodes, get_more_members_than_they_had_by_a_new_plan) {
  large_graph large(6);
  large.queue.start();
  large.queue.submit(large.graph).wait();
  large.queue.close();
  large.graph.set(large.names[3], mark_4000_bytes::of(large.marks.ref(), 9));
  large.graph.set(large.names[2], mark_200_bytes::of(large.marks.ref(), 10));
  large.graph.set(large.names[5], add_one_plainly{large.marks.ref()});
  large.graph.plan(large.queue);
  large.queue.start();
  large.queue.submit(large.graph);
  large.queue.close();
  EXPECT_EQ(large.marks.read(), numbers(6, 2));
}

/// A task of a graph, whose blocks follow those of the task before it.
struct node {
  numbers after = {};
  std::uint32_t blocks = 1;
  bool is_grid = true;
};

std::vector<node> any_nodes(std::uint32_t seed) {
  std::mt19937 random(seed);
  auto const below = [&](std::uint32_t limit) { return std::uint32_t(random() % limit); };
  std::vector<node> made(1 + below(30));
  for (std::uint32_t i = 0; i < made.size(); ++i) {
    made[i].is_grid = below(2) == 0;
    made[i].blocks = below(3) == 0 ? 1 : 1 + below(40);
    for (auto edges = below(4); i > 0 && edges > 0; --edges) made[i].after.push_back(below(i));
  }
  return made;
}

/// A graph of tasks and grids of mixed kernels, and what a sequential run of it gives. A block mixes what all
/// blocks of its task's predecessors wrote.
class mixed_nodes {
 public:
  static constexpr auto words = mix_predecessors::words;

  explicit mixed_nodes(std::vector<node> of, int workers = 0)
      : of_(std::move(of)),
        queue_(first_device(), graph_kernels(), before_start(workers)),
        values_(first_device(), number_blocks() * words),
        listed_(std::max<std::size_t>(1, list_.size())),
        expected_(number_blocks() * words, 0) {
    std::ranges::copy(list_, listed_.ref().data());
    for (std::uint32_t i = 0; i < of_.size(); ++i) names_.push_back(add(i));
    graph_.plan(queue_);
    queue_.start();
  }

  completion submit() {
    for (std::uint32_t i = 0; i < of_.size(); ++i)
      for (std::uint32_t k = 0; k < of_[i].blocks; ++k) expect(i, first_block_[i] + k);
    return queue_.submit(graph_);
  }
  /// From the next round on.
  void change(std::uint32_t i) {
    factor_ += 2;
    factors_[i] = factor_;
    if (i % 3 == 0)
      graph_.set(names_[i], mix_by_reference{{}, kernel(i)});
    else
      graph_.set(names_[i], kernel(i));
  }
  bool is_right() {
    queue_.close();
    return values_.read() == expected_;
  }

 private:
  /// Returns how many there are.
  std::size_t number_blocks() {
    first_block_.clear();
    list_.clear();
    first_listed_.clear();
    std::uint32_t next = 0;
    for (auto const& one : of_) {
      first_listed_.push_back(std::uint32_t(list_.size()));
      for (auto const before : one.after)
        for (std::uint32_t k = 0; k < of_[before].blocks; ++k) list_.push_back(first_block_[before] + k);
      first_block_.push_back(std::exchange(next, next + one.blocks));
    }
    first_listed_.push_back(std::uint32_t(list_.size()));
    return next;
  }
  mix_predecessors kernel(std::uint32_t i) const {
    return {values_.ref(), listed_.ref(), first_listed_[i], first_listed_[i + 1] - first_listed_[i],
            factors_[i]};
  }
  graph_task add(std::uint32_t i) {
    graph_task_options options{.after = {}, .cost = double(i % 5)};
    for (auto const before : of_[i].after) options.after.push_back(names_[before]);
    block_range const blocks = {first_block_[i], of_[i].blocks};
    factors_.push_back(factor_);
    auto const made = i % 3 == 0 ? task(mix_by_reference{{}, kernel(i)}, blocks) : task(kernel(i), blocks);
    return graph_.add(of_[i].is_grid ? grid_task(made) : made, options);
  }
  void expect(std::uint32_t i, std::uint32_t block) {
    for (std::uint32_t word = 0; word < words; ++word) {
      auto& sum = expected_[block * words + word];
      sum = sum * factors_[i] + block + word;
      for (auto k = first_listed_[i]; k < first_listed_[i + 1]; ++k)
        sum = sum * 31 + expected_[list_[k] * words + (word + 1) % words];
    }
  }

  std::vector<node> of_;
  task_graph graph_{graph_kernels()};
  task_queue queue_;
  numbers first_block_, list_, first_listed_, factors_;
  counted_words values_;
  shared_visits listed_;
  numbers expected_;
  std::vector<graph_task> names_;
  std::uint32_t factor_ = 5;
};

TEST(graph_nodes, of_grids_among_tasks_give_what_a_sequential_run_gives_in_each_of_several_rounds) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    mixed_nodes mixed(any_nodes(seed), seed % 3 == 0 ? 1 : 0);
    for (int round = 0; round < 4; ++round) mixed.submit();
    EXPECT_TRUE(mixed.is_right()) << seed;
  }
}

TEST(graph_nodes, of_grids_behind_each_other_wait_for_all_blocks) {
  mixed_nodes mixed({{{}, 90}, {{0}, 1}, {{0}, 70}, {{1, 2}, 110}, {{3}, 3}});
  for (int round = 0; round < 20; ++round) mixed.submit();
  EXPECT_TRUE(mixed.is_right());
}

TEST(graph_nodes, of_a_grid_keep_its_blocks_when_set) {
  mixed_nodes mixed({{{}, 20}, {{0}, 30}, {{0, 1}, 9, false}, {{2}, 5}});
  for (std::uint32_t round = 0; round < 8; ++round) {
    mixed.submit();
    mixed.change(round % 4);
  }
  mixed.submit();
  EXPECT_TRUE(mixed.is_right());
}

TEST(graph_nodes, of_100000_blocks_run_each_once) {
  std::uint32_t const n = 100'000;
  counted_words const visits(first_device(), 2 * n + 1);
  task_graph graph(graph_kernels());
  auto const first = graph.add(grid_task(task(count_visit{visits.ref()}, {0, n})));
  auto const next =
      graph.add(grid_task(task(count_visit{visits.ref()}, {n, n})), {.after = {first}, .cost = 1});
  graph.add(task(count_visit{visits.ref()}, {2 * n, 1}), {.after = {next}});
  task_queue queue(first_device(), graph_kernels(), before_start());
  graph.plan(queue);
  queue.start();
  queue.submit(graph).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(graph_nodes, of_a_grid_are_shared_by_workers_and_run_whole_after_a_stop) {
  gate held(2);
  counted_words const visits(first_device(), 8);
  task_graph graph(graph_kernels());
  auto const first = graph.add(grid_task(task(count_visit{visits.ref()}, {0, 4})));
  auto const grid = graph.add(grid_task(task(held.kernel(), {0, 2})), {.after = {first}});
  graph.add(grid_task(task(count_visit{visits.ref()}, {4, 4})), {.after = {grid}});
  task_queue queue(first_device(), graph_kernels(), before_start());
  if (queue.workers() < 2) GTEST_SKIP() << "one worker shares with none";
  graph.plan(queue);
  queue.start();
  queue.submit(graph);
  held.await_inside(2);
  queue.request_stop();
  {
    std::jthread const opener([&] { held.open(); });
    EXPECT_TRUE(queue.stop().empty());
  }
  auto expected = visits.read();
  queue.start();
  queue.submit(graph).wait();
  queue.close();
  for (auto& count : expected) ++count;
  EXPECT_EQ(visits.read(), expected);
}

/// The inside of a graph, whose rounds a queue runs one after another.
class driven_graph {
 public:
  explicit driven_graph(numbers const& costs) : visits_(first_device(), 20) {
    for (std::uint32_t i = 0; i < costs.size(); ++i) {
      auto const one = task(count_visit{visits_.ref()}, {i, i % 2 == 0 ? 20 - i : 1});
      graph_.add(i % 2 == 0 ? grid_task(one) : one, {.after = {}, .cost = double(costs[i])});
    }
    graph_.place(runner());
    queue_.start();
  }
  /// Returns whether the round measured.
  bool run() {
    graph_.submit(runner(), {}, {}).wait();
    return measured_;
  }
  std::uint32_t rounds() const { return graph_.placed->rounds(); }
  std::vector<float> durations_us() { return graph_.placed->durations_us(); }

 private:
  graph_runner runner() {
    return {first_device(),
            &graph_kernels(),
            queue_.workers(),
            &untraced_,
            [](completion const&) { return true; },
            [&](std::span<task_record const> round, std::span<completion const>, auto const&) {
              measured_ = graph_round::of(round[0]).measures;
              return queue_.submit(prepared_tasks(graph_kernels(), {round.begin(), round.end()}), {});
            }};
  }

  counted_words visits_;
  traced_rounds untraced_{0};
  graph_state graph_{graph_kernels()};
  task_queue queue_{first_device(), graph_kernels(), before_start()};
  bool measured_ = false;
};

TEST(graph_nodes, of_unknown_cost_are_measured_in_two_rounds_and_planned_anew_for_the_third) {
  driven_graph driven({0, 3, 5, 0});
  EXPECT_TRUE(driven.run());
  EXPECT_TRUE(driven.run());
  EXPECT_THAT(driven.durations_us(), testing::Each(testing::Gt(0)));
  EXPECT_EQ(driven.rounds(), 2u);
  for (std::uint32_t round = 1; round < 5; ++round) {
    EXPECT_FALSE(driven.run());
    EXPECT_EQ(driven.rounds(), round);
  }
  EXPECT_THAT(driven.durations_us(), testing::Each(0));
}

TEST(graph_nodes, of_known_cost_are_not_measured) {
  driven_graph driven({1, 2, 3});
  for (std::uint32_t round = 1; round < 5; ++round) {
    EXPECT_FALSE(driven.run());
    EXPECT_EQ(driven.rounds(), round);
  }
  EXPECT_THAT(driven.durations_us(), testing::Each(0));
}

TEST(graph_nodes, that_a_measured_plan_puts_in_another_order_give_the_same) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    mixed_nodes mixed(any_nodes(seed));
    for (int round = 0; round < 4; ++round) mixed.submit().wait();
    mixed.change(0);
    for (int round = 0; round < 4; ++round) mixed.submit();
    EXPECT_TRUE(mixed.is_right()) << seed;
  }
}

}  // namespace
}  // namespace ballast::test::graph_nodes_test
