// SPDX-License-Identifier: Apache-2.0
#include "ballast/task_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/detail/queue/ring_words.cuh"
#include "fixture.hpp"
#include "graph_kernels.cuh"
#include "graph_shapes.hpp"
#include "refused_argument.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using namespace graph_shapes;
using numbers = std::vector<std::uint32_t>;

constexpr auto words = mix_predecessors::words;

shape chain(std::uint32_t tasks) {
  shape made(tasks);
  for (std::uint32_t task = 1; task < tasks; ++task) made[task] = {task - 1};
  return made;
}

shape tree(std::uint32_t tasks) {
  shape made(tasks);
  for (std::uint32_t task = 1; task < tasks; ++task) made[task] = {(task - 1) / 3};
  return made;
}

/// Many tasks without predecessors, and one that waits for all.
shape star(std::uint32_t tasks) {
  shape made(tasks);
  for (std::uint32_t task = 0; task + 1 < tasks; ++task) made.back().push_back(task);
  return made;
}

/// A graph on a device, and what a sequential run of it gives.
class mixed_graph {
 public:
  explicit mixed_graph(shape of, std::shared_ptr<compute_device> on = first_device())
      : of_(std::move(of)),
        values_(on, of_.size() * words),
        predecessors_(on, std::max<std::size_t>(1, edges())),
        expected_(of_.size() * words, 0),
        factors_(of_.size(), 5) {
    std::uint32_t end = 0;
    for (std::uint32_t task = 0; task < of_.size(); ++task) {
      first_.push_back(end);
      for (auto const before : of_[task]) predecessors_.ref()[end++] = before;
    }
  }

  void add_to(task_graph& graph) {
    for (std::uint32_t task = 0; task < of_.size(); ++task) {
      graph_task_options options{.after = {}, .cost = double(task % 7)};
      for (auto const before : of_[task]) options.after.push_back(names_[before]);
      names_.push_back(is_prepared(task)
                           ? graph.add(ballast::task(prepare_and_mix{kernel(task)}, {task, 1}), options)
                           : graph.add(ballast::task(kernel(task), {task, 1}), options));
    }
  }
  /// From the next round on.
  void change(task_graph& graph, std::uint32_t task, std::uint32_t factor) {
    factors_[task] = factor;
    if (is_prepared(task))
      graph.set(names_[task], prepare_and_mix{kernel(task)});
    else
      graph.set(names_[task], kernel(task));
  }
  void expect_round() {
    for (std::uint32_t task = 0; task < of_.size(); ++task)
      for (std::uint32_t i = 0; i < words; ++i) {
        auto sum = expected_[task * words + i] * factors_[task] + task + i;
        for (auto const before : of_[task]) sum = sum * 31 + expected_[before * words + (i + 1) % words];
        expected_[task * words + i] = sum;
      }
  }
  bool is_right() const { return values_.read() == expected_; }
  graph_task name(std::uint32_t task) const { return names_[task]; }

 private:
  std::size_t edges() const {
    std::size_t sum = 0;
    for (auto const& before : of_) sum += before.size();
    return sum;
  }
  static bool is_prepared(std::uint32_t task) { return task % 3 == 1; }
  mix_predecessors kernel(std::uint32_t task) const {
    return {values_.ref(), predecessors_.ref(), first_[task], std::uint32_t(of_[task].size()),
            factors_[task]};
  }

  shape of_;
  counted_words values_;
  shared_visits predecessors_;
  numbers expected_, factors_, first_;
  std::vector<graph_task> names_;
};

struct running_graph {
  explicit running_graph(shape const& of, queue_options const& options = before_start())
      : mixed(of), queue(first_device(), graph_kernels(), options) {
    mixed.add_to(graph);
    graph.plan(queue);
    queue.start();
  }
  completion submit() {
    mixed.expect_round();
    return queue.submit(graph);
  }

  mixed_graph mixed;
  task_graph graph{graph_kernels()};
  task_queue queue;
};

TEST(task_graphs, of_all_shapes_give_what_a_sequential_run_gives_bit_for_bit) {
  for (auto const& of : {shape(1), shape(300), chain(200), tree(200), star(500), layers(12, 20)}) {
    running_graph run(of);
    run.submit().wait();
    run.queue.close();
    EXPECT_TRUE(run.mixed.is_right()) << of.size();
  }
}

TEST(task_graphs, of_random_shapes_give_what_a_sequential_run_gives_in_each_of_several_rounds) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    running_graph run(any(seed));
    for (int round = 0; round < 3; ++round) run.submit();
    run.queue.close();
    EXPECT_TRUE(run.mixed.is_right()) << seed;
  }
}

// On a GPU freeing a graph's memory would wait for the resident kernel, so for ever.
TEST(task_graphs, can_be_destroyed_while_a_queue_runs_that_has_had_them) {
  counted_words const visits(first_device(), 1);
  auto planned = std::make_unique<task_graph>(graph_kernels()),
       submitted = std::make_unique<task_graph>(graph_kernels());
  for (auto const& graph : {planned.get(), submitted.get()}) graph->add(task(count_visit{visits.ref()}));
  task_queue queue(first_device(), graph_kernels(), before_start());
  planned->plan(queue);
  submitted->plan(queue);
  queue.start();
  queue.submit(*submitted).wait();
  submitted.reset();
  queue.close();
  queue.start();
  planned.reset();
  queue.close();
  EXPECT_EQ(visits.read().front(), 1u);
}

TEST(task_graphs, run_on_one_worker) {
  for (auto const& of : {chain(50), star(50), layers(5, 9)}) {
    running_graph run(of, before_start(1));
    run.submit();
    run.submit().wait();
    run.queue.close();
    EXPECT_TRUE(run.mixed.is_right());
  }
}

TEST(task_graphs, of_many_tasks_are_exact_over_many_rounds) {
  running_graph run(layers(20, 200));
  for (int round = 0; round < 10; ++round) run.submit();
  run.queue.close();
  EXPECT_TRUE(run.mixed.is_right());
}

TEST(task_graphs, without_tasks_are_ready_at_once) {
  task_graph graph(graph_kernels());
  task_queue queue(first_device(), graph_kernels(), test_options());
  EXPECT_TRUE(queue.submit(graph).ready());
}

TEST(task_graphs, are_planned_by_the_first_submission_to_cores) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "an allocation may wait for the resident kernel";
  mixed_graph mixed(chain(10));
  task_graph graph(graph_kernels());
  mixed.add_to(graph);
  task_queue queue(first_device(), graph_kernels(), test_options());
  mixed.expect_round();
  queue.submit(graph).wait();
  EXPECT_TRUE(mixed.is_right());
}

TEST(task_graphs, take_what_was_set_in_the_next_round_and_not_before) {
  running_graph run(layers(6, 10));
  for (std::uint32_t round = 0; round < 5; ++round) {
    run.submit();
    for (std::uint32_t task = round; task < 60; task += 7) run.mixed.change(run.graph, task, 11 + round);
  }
  run.submit().wait();
  run.queue.close();
  EXPECT_TRUE(run.mixed.is_right());
}

TEST(task_graphs, run_another_kernel_that_was_set) {
  counted_words const visits(first_device(), 4);
  running_graph run(chain(4));
  run.submit().wait();
  run.graph.set(run.mixed.name(2), count_visit{visits.ref()});
  run.queue.submit(run.graph).wait();
  run.queue.close();
  EXPECT_EQ(visits.read(), (numbers{0, 0, 1, 0}));
}

TEST(task_graphs, grow_between_submissions) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "an allocation may wait for the resident kernel";
  counted_words const visits(first_device(), 2);
  task_graph graph(graph_kernels());
  task_queue queue(first_device(), graph_kernels(), test_options());
  auto const first = graph.add(task(count_visit{visits.ref()}, {0, 1}));
  queue.submit(graph);
  graph.add(task(count_visit{visits.ref()}, {1, 1}), {.after = {first}});
  queue.submit(graph).wait();
  EXPECT_EQ(visits.read(), (numbers{2, 1}));
}

TEST(task_graphs, run_all_blocks_of_a_task) {
  counted_words const visits(first_device(), 10);
  task_graph graph(graph_kernels());
  graph.add(task(count_visit{visits.ref()}, {2, 5}));
  graph.add(grid_task(task(count_visit{visits.ref()}, {9, 1})));
  task_queue queue(first_device(), graph_kernels(), before_start());
  graph.plan(queue);
  queue.start();
  queue.submit(graph).wait();
  queue.close();
  EXPECT_EQ(visits.read(), (numbers{0, 0, 1, 1, 1, 1, 1, 0, 0, 1}));
}

TEST(task_graphs, run_beside_other_tasks_and_before_those_that_wait_for_them) {
  std::uint32_t const n = 500;
  counted_words const visits(first_device(), 3 * n);
  running_graph run(layers(10, 20));
  auto const all = visits_of(visits.ref(), 3 * n);
  run.queue.submit(std::span(all).first(n));
  auto const done = run.submit();
  run.queue.submit(grid_task(task(count_visit{visits.ref()}, {n, n})));
  run.queue.submit(std::span(all).last(n), {.after = done}).wait();
  EXPECT_TRUE(run.mixed.is_right());
  run.queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_graphs, of_several_threads_run_side_by_side) {
  std::uint32_t const threads = 4;
  std::vector<mixed_graph> mixed;
  for (std::uint32_t i = 0; i < threads; ++i) mixed.emplace_back(layers(4 + i, 10));
  std::deque<task_graph> graphs;
  task_queue queue(first_device(), graph_kernels(), before_start());
  for (auto& one : mixed) {
    one.add_to(graphs.emplace_back(graph_kernels()));
    graphs.back().plan(queue);
  }
  queue.start();
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      submitters.emplace_back([&, i] {
        for (int round = 0; round < 20; ++round) {
          mixed[i].expect_round();
          queue.submit(graphs[i]);
        }
      });
  }
  queue.close();
  for (auto const& one : mixed) EXPECT_TRUE(one.is_right());
}

TEST(task_graphs, may_be_more_than_there_are_grids_open_at_once) {
  std::deque<mixed_graph> mixed;
  std::deque<task_graph> graphs;
  task_queue queue(first_device(), graph_kernels(), before_start());
  for (std::uint32_t i = 0; i < 3 * max_shared_grids; ++i) {
    mixed.emplace_back(any(i)).add_to(graphs.emplace_back(graph_kernels()));
    graphs.back().plan(queue);
  }
  queue.start();
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      mixed[i].expect_round();
      queue.submit(graphs[i]);
    }
  queue.close();
  for (auto const& one : mixed) EXPECT_TRUE(one.is_right());
}

TEST(task_graphs, of_100000_tasks_that_another_waits_for_run_each_once) {
  std::uint32_t const n = 100'000;
  counted_words const visits(first_device(), n + 1);
  task_graph graph(graph_kernels());
  graph_task_options last;
  for (std::uint32_t i = 0; i < n; ++i)
    last.after.push_back(graph.add(task(count_visit{visits.ref()}, {i, 1})));
  graph.add(task(count_visit{visits.ref()}, {n, 1}), last);
  task_queue queue(first_device(), graph_kernels(), before_start());
  graph.plan(queue);
  queue.start();
  queue.submit(graph).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_graphs, submitted_by_several_threads_run_once_for_each) {
  std::uint32_t const threads = 3, rounds = 20;
  running_graph run(layers(5, 8));
  for (std::uint32_t i = 0; i < threads * rounds; ++i) run.mixed.expect_round();
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      submitters.emplace_back([&] {
        for (std::uint32_t round = 0; round < rounds; ++round) run.queue.submit(run.graph);
      });
  }
  run.queue.close();
  EXPECT_TRUE(run.mixed.is_right());
}

TEST(task_graphs, go_from_queue_to_queue) {
  auto const half = before_start(first_device()->is_cuda() ? 4 : 1);
  mixed_graph mixed(layers(5, 8));
  task_graph graph(graph_kernels());
  mixed.add_to(graph);
  auto const on = first_device()->is_cuda() ? first_device() : open_devices("host:2").front();
  task_queue one(on, graph_kernels(), half), other(on, graph_kernels(), half);
  graph.plan(one);
  one.start();
  other.start();
  for (int round = 0; round < 6; ++round) {
    mixed.expect_round();
    (round % 2 == 0 ? one : other).submit(graph);
  }
  one.close();
  other.close();
  EXPECT_TRUE(mixed.is_right());
}

TEST(task_graphs, run_in_each_run_of_a_queue) {
  running_graph run(layers(3, 8));
  run.submit();
  run.queue.close();
  run.queue.start();
  run.submit();
  run.queue.close();
  EXPECT_TRUE(run.mixed.is_right());
}

TEST(task_graphs, that_a_stop_ends_midway_are_not_handed_back_and_run_whole_when_submitted_again) {
  gate held(1);
  counted_words const visits(first_device(), 8);
  task_graph graph(graph_kernels());
  auto const first = graph.add(task(count_visit{visits.ref()}, {0, 1}));
  auto const middle = graph.add(held.holder(0), {.after = {first}});
  for (std::uint32_t i = 1; i < 8; ++i)
    graph.add(task(count_visit{visits.ref()}, {i, 1}), {.after = {middle}});
  task_queue queue(first_device(), graph_kernels(), before_start());
  graph.plan(queue);
  queue.start();
  auto const stopped_round = queue.submit(graph);
  auto const waiting_round = queue.submit(graph);
  held.await_inside(1);
  queue.request_stop();
  {
    std::jthread const opener([&] { held.open(); });
    EXPECT_TRUE(queue.stop().empty());
  }
  EXPECT_THROW(waiting_round.wait(), stopped);
  EXPECT_TRUE(stopped_round.ready());
  auto before = visits.read();
  EXPECT_EQ(before[0], 1u);
  queue.start();
  queue.submit(graph);
  queue.submit(graph).wait();
  queue.close();
  for (auto& count : before) count += 2;
  EXPECT_EQ(visits.read(), before);
}

TEST(task_graphs, stopped_at_any_of_their_tasks_run_whole_when_submitted_again) {
  auto const of = layers(4, 10);
  auto const n = std::uint32_t(of.size());
  for (std::uint32_t const at : {0u, 9u, 15u, 39u}) {
    gate held(1);
    counted_words const visits(first_device(), n);
    task_graph graph(graph_kernels());
    std::vector<graph_task> names;
    for (std::uint32_t i = 0; i < n; ++i) {
      graph_task_options options;
      for (auto const before : of[i]) options.after.push_back(names[before]);
      names.push_back(graph.add(i == at ? held.holder(0) : task(count_visit{visits.ref()}, {i, 1}), options));
    }
    task_queue queue(first_device(), graph_kernels(), before_start());
    graph.plan(queue);
    queue.start();
    queue.submit(graph);
    held.await_inside(1);
    queue.request_stop();
    {
      std::jthread const opener([&] { held.open(); });
      EXPECT_TRUE(queue.stop().empty());
    }
    auto expected = visits.read();
    queue.start();
    queue.submit(graph).wait();
    queue.close();
    for (std::uint32_t i = 0; i < n; ++i) expected[i] += i == at ? 0 : 1;
    EXPECT_EQ(visits.read(), expected) << at;
  }
}

// On a GPU a fault ends the process's use of the device.
TEST(task_graphs, with_a_task_that_fails_end_with_its_kernels_name_and_run_none_of_its_successors) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends every later test of this process";
  counted_words const visits(first_device(), 30);
  task_graph graph(graph_kernels());
  auto const doomed = graph.add(task(fail{}));
  for (std::uint32_t i = 0; i < 30; ++i)
    graph.add(task(count_visit{visits.ref()}, {i, 1}), {.after = {doomed}});
  task_queue queue(open_devices("host:2").front(), graph_kernels(), test_options());
  auto const done = queue.submit(graph);
  try {
    done.wait();
    ADD_FAILURE() << "the failure was lost";
  } catch (device_lost const& lost) { EXPECT_THAT(lost.what(), testing::HasSubstr("fail")); }
  EXPECT_TRUE(queue.stop().empty());
  EXPECT_EQ(visits.read(), numbers(30, 0));
}

TEST(task_graphs, have_times_and_spans_of_their_tasks) {
  auto options = before_start();
  options.times = true;
  options.trace_depth = 100;
  running_graph run(star(20), options);
  auto const done = run.submit();
  done.wait();
  EXPECT_GT(run.queue.execution_of(done).work_ns, 0);
  run.queue.close();
  auto const spans = run.queue.task_spans();
  EXPECT_EQ(spans.size(), 20u);
  EXPECT_TRUE(std::ranges::all_of(spans, [](auto const& one) { return one.kernel <= 1; }));
}

TEST(task_graphs, refuse_tasks_that_they_cannot_hold) {
  task_graph graph(graph_kernels()), other(graph_kernels());
  counted_words const visits(first_device(), 1);
  task const legal(count_visit{visits.ref()});
  auto const elsewhere = other.add(legal);
  auto const argument = [&](task const& one, graph_task_options const& options = {}) {
    return refused_argument([&] { graph.add(one, options); });
  };
  EXPECT_EQ(argument(legal, {.after = {elsewhere}}), "after");
  EXPECT_EQ(argument(legal, {.after = {graph_task()}}), "after");
  EXPECT_EQ(argument(legal, {.cost = -1}), "cost");
  EXPECT_EQ(argument(legal, {.cost = std::numeric_limits<double>::quiet_NaN()}), "cost");
  EXPECT_EQ(argument(task(add_one_plainly{visits.ref()})), "kernel");
  EXPECT_EQ(refused_argument([&] { graph.set(elsewhere, count_visit{visits.ref()}); }), "which");
  EXPECT_EQ(refused_argument([] { task_graph const made{spawning_kernels()}; }), "kernels");
}

TEST(task_graphs, of_another_set_are_refused_by_a_queue) {
  task_graph graph(kernels());
  task_queue queue(first_device(), graph_kernels(), test_options());
  EXPECT_EQ(refused_argument([&] { queue.submit(graph); }), "graph");
}

}  // namespace
}  // namespace ballast::test
