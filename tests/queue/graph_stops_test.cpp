// SPDX-License-Identifier: Apache-2.0
// What becomes of graphs that a stop cuts short, and what failures and deadlines say of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/task_graph.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"
#include "graph_shapes.hpp"

namespace ballast::test::graph_stops_test {
namespace {

using namespace graph_shapes;
using testing::HasSubstr;
using numbers = std::vector<std::uint32_t>;

/// A graph of visits, in which a task waits at a gate during some visit.
class visited_graph {
 public:
  explicit visited_graph(shape const& of)
      : gates_(of.size()), visits_(first_device(), of.size()), at_(of.size(), 0), during_(of.size(), 0) {
    for (auto const& before : of) {
      graph_task_options options;
      for (auto const one : before) options.after.push_back(names_[one]);
      names_.push_back(graph_.add(task(kernel(names_.size()), {std::uint32_t(names_.size()), 1}), options));
    }
  }

  task_graph& graph() { return graph_; }
  void hold(std::uint32_t task, std::uint32_t visit = 1) {
    at_[task] = std::uint32_t(held_.size());
    during_[task] = visit;
    held_.emplace_back(std::size_t(names_.size()));
    set(task);
  }
  void set(std::uint32_t task) { graph_.set(names_[task], kernel(task)); }
  void await(std::uint32_t task) const { held_[at_[task]].await_inside(1); }
  bool is_at(std::uint32_t task) const { return held_[at_[task]].inside() != 0; }
  void open(std::uint32_t task) { held_[at_[task]].open(); }
  /// Stops the queue while this task is at its gate. A GPU's workers see the stop a little later, so the gate
  /// opens once some have left.
  void stop_at(task_queue& queue, std::uint32_t task) {
    await(task);
    queue.request_stop();
    auto const until = deadline::in(std::chrono::seconds(1));
    while (first_device()->is_cuda() && !until.passed() &&
           queue.describe().find(" gone") == std::string::npos) {}
    std::jthread const opener([&] { open(task); });
    EXPECT_TRUE(queue.stop().empty());
  }
  numbers visits() const { return visits_.read(); }
  numbers once() const { return numbers(names_.size(), 1); }
  numbers twice() const { return numbers(names_.size(), 2); }

 private:
  visit_and_wait kernel(std::size_t task) const {
    auto const& gate = held_.empty() ? gates_ : held_[at_[task]];
    return {visits_.ref(), gate.kernel(), during_[task]};
  }

  gate gates_;
  std::deque<gate> held_;
  counted_words visits_;
  numbers at_, during_;
  task_graph graph_{graph_kernels()};
  std::vector<graph_task> names_;
};

struct running_graph : visited_graph {
  explicit running_graph(shape const& of, int workers = 0)
      : visited_graph(of), queue(first_device(), graph_kernels(), before_start(workers)) {}
  void start() {
    graph().plan(queue);
    queue.start();
  }
  completion submit() { return queue.submit(graph()); }
  /// Submits, stops at this task, and starts again. False: the graph ended before, as it may on a GPU, whose
  /// workers see a stop later.
  bool cut_at(std::uint32_t task) {
    auto const done = submit();
    stop_at(queue, task);
    queue.start();
    bool const was_cut = is_cut(done);
    EXPECT_TRUE(was_cut || first_device()->is_cuda());
    return was_cut;
  }
  static bool is_cut(completion const& done) {
    try {
      done.wait();
      return false;
    } catch (stopped const&) { return true; }
  }

  task_queue queue;
};

TEST(graph_stops, at_any_task_leave_a_graph_that_goes_on_with_those_that_have_not_run) {
  for (auto const& of : {layers(4, 5), shape{{}, {0}, {1}, {2}, {}, {3}}})
    for (std::uint32_t at = 0; at < of.size(); ++at) {
      running_graph run(of);
      run.hold(at);
      run.start();
      if (run.cut_at(at)) run.submit().wait();
      EXPECT_EQ(run.visits(), run.once()) << at;
      run.submit().wait();
      run.queue.close();
      EXPECT_EQ(run.visits(), run.twice()) << at;
    }
}

TEST(graph_stops, of_one_worker_at_any_task_leave_a_graph_that_goes_on) {
  auto const of = layers(3, 4);
  for (std::uint32_t at = 0; at < of.size(); ++at) {
    running_graph run(of, 1);
    run.hold(at);
    run.start();
    if (run.cut_at(at)) run.submit().wait();
    EXPECT_EQ(run.visits(), run.once()) << at;
  }
}

// On a GPU workers may reach the next gate before they see the stop.
TEST(graph_stops, one_after_another_leave_ever_fewer_tasks) {
  numbers const gates = {1, 6, 10, 19};
  running_graph run(layers(5, 4));
  for (auto const at : gates) run.hold(at);
  run.start();
  for (auto const at : gates) {
    if (run.visits() == run.once()) break;
    run.submit();
    run.await(at);
    run.queue.request_stop();
    std::jthread const opener([&](std::stop_token const& over) {
      while (!over.stop_requested())
        for (auto const each : gates)
          if (run.is_at(each)) run.open(each);
    });
    EXPECT_TRUE(run.queue.stop().empty());
    run.queue.start();
  }
  if (run.visits() != run.once()) run.submit().wait();
  EXPECT_EQ(run.visits(), run.once());
}

TEST(graph_stops, at_any_moment_leave_graphs_that_go_on_exactly) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    running_graph run(any(seed));
    run.start();
    for (std::uint32_t stops = 0; stops <= seed % 3; ++stops) {
      auto const cut = run.submit();
      run.queue.stop();
      run.queue.start();
      if (!run.is_cut(cut)) break;  // it had ended before the stop
    }
    if (run.visits() != run.once()) run.submit().wait();
    EXPECT_EQ(run.visits(), run.once()) << seed;
  }
}

TEST(graph_stops, before_a_graph_began_leave_it_whole) {
  gate held(1);
  running_graph run(layers(3, 3), 1);
  run.start();
  run.queue.submit(held.holder(0));
  held.await_inside(1);
  auto const round = run.submit();
  run.queue.request_stop();
  {
    std::jthread const opener([&] { held.open(); });
    EXPECT_TRUE(run.queue.stop().empty());
  }
  if (!first_device()->is_cuda()) {  // whose workers may begin before they see the stop
    EXPECT_EQ(run.visits(), numbers(9, 0));
  }
  run.queue.start();
  if (run.is_cut(round)) run.submit().wait();
  EXPECT_EQ(run.visits(), run.once());
}

TEST(graph_stops, in_the_second_of_several_rounds_leave_the_rest_of_that_one) {
  running_graph run(layers(3, 4));
  run.hold(6, 2);
  run.start();
  run.submit();
  run.submit();
  if (run.cut_at(6)) run.submit().wait();
  EXPECT_EQ(run.visits(), run.twice());
}

TEST(graph_stops, leave_a_graph_that_a_refused_submission_does_not_change) {
  running_graph run(layers(3, 4));
  run.hold(5);
  run.start();
  run.submit();
  run.stop_at(run.queue, 5);
  EXPECT_THROW(run.submit(), error);
  EXPECT_THROW(run.submit(), error);
  run.queue.start();
  run.submit().wait();
  EXPECT_EQ(run.visits(), run.once());
}

TEST(graph_stops, leave_a_graph_that_goes_on_in_another_queue_of_the_device) {
  auto const on = first_device()->is_cuda() ? first_device() : open_devices("host:2").front();
  visited_graph visited(layers(3, 4));
  visited.hold(5);
  auto const half = before_start(first_device()->is_cuda() ? 4 : 1);
  task_queue one(on, graph_kernels(), half), other(on, graph_kernels(), half);
  visited.graph().plan(one);
  one.start();
  other.start();
  one.submit(visited.graph());
  visited.stop_at(one, 5);
  other.submit(visited.graph()).wait();
  EXPECT_EQ(visited.visits(), visited.once());
}

TEST(graph_stops, after_the_last_task_leave_a_graph_that_a_refused_submission_does_not_change) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a GPU's worker ends the round before it sees the stop";
  running_graph run({{}, {0}}, 1);
  run.hold(1);
  run.start();
  run.submit();
  run.stop_at(run.queue, 1);
  EXPECT_THROW(run.submit(), error);
  run.queue.start();
  run.submit().wait();
  EXPECT_EQ(run.visits(), run.once());
}

TEST(graph_stops, while_a_ring_holds_some_of_its_workers_tasks_leave_a_graph_that_goes_on) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "fills a ring that held workers keep full";
  auto const cores = open_devices("host:6").front();
  auto options = before_start();
  options.capacity = 2;  // so a worker, and two rings of two tasks each, take five of the six
  visited_graph visited({{}, {}, {}, {}, {}, {}, {}, {}, {0, 1, 2, 3, 4, 5, 6, 7}});
  visited.hold(0);
  gate held(5);
  task_queue small(cores, graph_kernels(), options);
  visited.graph().plan(small);
  small.start();
  for (std::uint32_t i = 0; i < 5; ++i) small.submit(held.holder(i));
  held.await_inside(5);
  {
    std::jthread const submitter([&] { EXPECT_THROW(small.submit(visited.graph()), stopped); });
    visited.await(0);
    small.request_stop();
    held.open();
    visited.open(0);
  }
  EXPECT_TRUE(small.stop().empty());
  small.start();
  small.submit(visited.graph()).wait();
  EXPECT_EQ(visited.visits(), visited.once());
}

TEST(graph_stops, leave_a_graph_that_goes_on_with_fewer_workers) {
  for (bool const is_refused_first : {false, true}) {
    running_graph run(layers(4, 5), 2);
    run.hold(7);
    run.start();
    run.submit();
    run.stop_at(run.queue, 7);
    if (is_refused_first) {
      EXPECT_THROW(run.submit(), error);  // it has the rest now, planned for all
    }
    run.queue.start();
    run.queue.submit(run.graph(), {.max_workers = 1}).wait();
    EXPECT_EQ(run.visits(), run.once());
    run.submit().wait();
    EXPECT_EQ(run.visits(), run.twice());
  }
}

TEST(graph_stops, before_a_task_is_set_leave_a_graph_that_runs_whole) {
  running_graph run(layers(3, 4));
  run.hold(5);
  run.start();
  run.submit();
  run.stop_at(run.queue, 5);
  auto expected = run.visits();
  run.set(0);
  EXPECT_THROW(run.submit(), error);
  run.queue.start();
  run.submit().wait();
  for (auto& count : expected) ++count;
  EXPECT_EQ(run.visits(), expected);
}

TEST(graph_stops, before_a_task_is_set_in_the_rest_leave_a_graph_that_runs_whole) {
  running_graph run(layers(3, 4));
  run.hold(5);
  run.start();
  run.submit();
  run.stop_at(run.queue, 5);
  EXPECT_THROW(run.submit(), error);  // it has the rest now
  run.set(0);
  auto expected = run.visits();
  run.queue.start();
  run.submit().wait();
  for (auto& count : expected) ++count;
  EXPECT_EQ(run.visits(), expected);
}

TEST(graph_stops, before_a_task_is_added_leave_a_graph_that_runs_whole) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "an allocation may wait for the resident kernel";
  counted_words const added(first_device(), 1);
  running_graph run(layers(3, 4));
  run.hold(5);
  run.start();
  run.cut_at(5);
  auto expected = run.visits();
  run.graph().add(task(count_visit{added.ref()}));
  run.submit().wait();
  for (auto& count : expected) ++count;
  EXPECT_EQ(run.visits(), expected);
  EXPECT_EQ(added.read(), numbers{1});
}

// On a GPU a fault ends the process's use of the device.
TEST(graph_stops, by_a_task_that_fails_name_its_kernel_and_its_number) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends every later test of this process";
  counted_words const visits(first_device(), 20);
  task_graph graph(graph_kernels());
  for (std::uint32_t i = 0; i < 20; ++i) graph.add(task(count_visit{visits.ref()}, {i, 1}));
  auto const doomed = graph.add(task(fail{}));
  task_queue queue(open_devices("host:2").front(), graph_kernels(), test_options());
  auto const done = queue.submit(graph);
  try {
    done.wait();
    ADD_FAILURE() << "the failure was lost";
  } catch (device_lost const& lost) {
    EXPECT_EQ(doomed.index(), 20u);
    EXPECT_THAT(lost.what(), HasSubstr("block 0 of task 20 of the graph of submission 1, threw"));
  }
}

TEST(graph_stops, by_deadlines_name_the_tasks_that_wait_and_for_how_many) {
  running_graph run({{}, {}, {0, 1}}, 2);
  run.hold(0);
  run.start();
  run.submit();
  run.await(0);
  std::string const waits = "tasks of a graph wait: task 2 for 1 of its 2 predecessors";
  auto const until = deadline::in(std::chrono::minutes(1));
  while (run.queue.describe().find(waits) == std::string::npos && !until.passed()) std::this_thread::yield();
  try {
    run.queue.close(deadline::in(clock::duration(0)));
    ADD_FAILURE() << "the task at the gate has ended";
  } catch (timed_out const& late) { EXPECT_THAT(late.state(), HasSubstr(waits)); }
  run.open(0);
  run.queue.close();
  EXPECT_EQ(run.queue.describe().find("wait:"), std::string::npos);
  EXPECT_EQ(run.visits(), run.once());
}

TEST(graph_stops, and_rounds_and_changes_may_come_while_the_queue_is_described) {
  running_graph run(layers(4, 5));
  run.start();
  {
    std::jthread const reader([&](std::stop_token const& over) {
      while (!over.stop_requested()) EXPECT_THAT(run.queue.describe(), HasSubstr("tasks submitted"));
    });
    for (std::uint32_t round = 0; round < 50; ++round) {
      run.submit();
      if (round % 5 == 0) run.set(round % 20);
    }
    run.queue.stop();
  }
  run.queue.start();
  if (run.visits() != numbers(20, 50)) run.submit().wait();
  EXPECT_EQ(run.visits(), numbers(20, run.visits().front()));
}

}  // namespace
}  // namespace ballast::test::graph_stops_test
