// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "ballast/task_graph.hpp"
#include "ballast/task_queue.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"
#include "noting_device.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using numbers = std::vector<std::uint32_t>;

/// Two cores, or the GPU.
std::shared_ptr<compute_device> device_of_several_workers() {
  return first_device()->is_cuda() ? first_device() : open_devices("host:2").front();
}

queue_options before_start_on(compute_device const& device) {
  auto options = test_options(device);
  options.start_at_once = false;
  return options;
}

class graph_options : public testing::Test {
 protected:
  /// A chain of tasks, the first of which holds its worker until the gate is open.
  void add_held_chain() {
    auto last = graph_.add(held_.holder(0));
    for (std::uint32_t i = 1; i < 4; ++i) last = graph_.add(visit(i), {.after = {last}});
  }
  task visit(std::uint32_t word) const { return task(count_visit{visits_.ref()}, {word, 1}); }
  void start() {
    graph_.plan(queue_);
    queue_.start();
  }

  static constexpr std::uint32_t words = 40;
  std::shared_ptr<compute_device> const device_ = device_of_several_workers();
  task_graph graph_{graph_kernels()};
  task_queue queue_{device_, graph_kernels(), before_start_on(*device_)};
  counted_words visits_{device_, words};
  gate held_{words};
};

TEST_F(graph_options, of_one_worker_leave_the_other_workers_to_other_tasks) {
  graph_.add(held_.holder(0));
  graph_.add(held_.holder(1));
  start();
  auto const done = queue_.submit(graph_, {.max_workers = 1});
  held_.await_inside(1);
  queue_.submit(visits_of(visits_.ref(), words)).wait();
  EXPECT_EQ(held_.inside(), 1u);
  held_.open();
  done.wait();
  EXPECT_EQ(held_.inside(), 2u);
  queue_.close();
  EXPECT_EQ(visits_.read(), numbers(words, 1));
}

TEST_F(graph_options, of_more_workers_than_the_queue_has_are_as_those_of_all) {
  for (std::uint32_t i = 0; i < words; ++i) graph_.add(visit(i));
  start();
  queue_.submit(graph_, {.max_workers = ~std::uint32_t(0)}).wait();
  EXPECT_EQ(queue_.statistics().submitted, std::min(words, queue_.workers_of_run()));
  queue_.close();
  EXPECT_EQ(visits_.read(), numbers(words, 1));
}

TEST_F(graph_options, let_a_graph_begin_after_a_batch_and_a_batch_after_it) {
  std::uint32_t const nodes = 10;
  counted_words const values(device_, nodes * mix_predecessors::words);
  shared_visits const none(device_, 1);
  std::vector<task> batch;
  for (std::uint32_t i = 0; i < nodes; ++i)
    batch.emplace_back(mix_predecessors{values.ref(), none.ref(), 0, 0, 5}, block_range{i, 1});
  for (auto const& one : batch) graph_.add(one);
  start();
  completion last;
  for (int step = 0; step < 20; ++step) {
    last = queue_.submit(batch, {.after = last});
    last = queue_.submit(graph_, {.after = last});
  }
  queue_.close();
  numbers expected(values.read().size(), 0);
  for (std::uint32_t i = 0; i < expected.size(); ++i)
    for (int step = 0; step < 40; ++step)
      expected[i] = expected[i] * 5 + i / mix_predecessors::words + i % mix_predecessors::words;
  EXPECT_EQ(values.read(), expected);
}

TEST_F(graph_options, take_32_completions_besides_the_graphs_last_round) {
  for (std::uint32_t i = 0; i < words; ++i) graph_.add(visit(i));
  start();
  std::vector<completion> before{queue_.submit(held_.holder(0))};
  held_.await_inside(1);
  while (before.size() < 32) before.push_back(queue_.submit(visit(0)));
  submit_options const options{.after = completion_list(before)};
  queue_.submit(graph_, options);
  auto const done = queue_.submit(graph_, options);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which neither round must run
  EXPECT_FALSE(done.ready());
  held_.open();
  queue_.close();
  numbers expected(words, 2);
  expected[0] += 31;
  EXPECT_EQ(visits_.read(), expected);
}

TEST_F(graph_options, end_the_call_at_the_deadline_and_the_next_one_runs_the_graph_once) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "fills a ring that one held worker keeps full";
  auto const core = open_devices("host:1").front();
  auto options = before_start_on(*core);
  options.capacity = 2;
  task_queue small(core, graph_kernels(), options);
  graph_.add(visit(0));
  graph_.plan(small);
  small.start();
  small.submit(held_.holder(0));
  held_.await_inside(1);
  std::uint32_t others = 0;
  while (small.try_submit(visit(1))) ++others;
  EXPECT_THROW(small.submit(graph_, {.until = deadline::in(clock::duration(0))}), queue_full);
  held_.open();
  small.submit(graph_).wait();
  small.close();
  auto const counts = visits_.read();
  EXPECT_EQ(counts[0], 1u);
  EXPECT_EQ(counts[1], others);
}

TEST_F(graph_options, bound_the_wait_for_a_round_on_another_queue) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "the second queue would be made beside a resident kernel";
  add_held_chain();
  start();
  auto const first = queue_.submit(graph_);
  held_.await_inside(1);
  auto const core = open_devices("host:1").front();
  task_queue other(core, graph_kernels(), test_options(*core));
  EXPECT_THROW(other.submit(graph_, {.until = deadline::in(clock::duration(0))}), timed_out);
  held_.open();
  other.submit(graph_).wait();
  EXPECT_TRUE(first.ready());
  auto const counts = visits_.read();
  EXPECT_EQ(numbers(counts.begin() + 1, counts.begin() + 4), numbers(3, 2));
}

TEST_F(graph_options, refuse_what_a_batch_or_a_graph_does_not_take) {
  add_held_chain();
  start();
  auto const core = open_devices("host:1").front();
  task_queue other(core, graph_kernels(), test_options(*core));
  EXPECT_EQ(refused_argument([&] { other.submit(visit(1), {.max_workers = 1}); }), "max_workers");
  EXPECT_EQ(refused_argument([&] { queue_.submit(visits_of(visits_.ref(), 2), {.max_workers = 3}); }),
            "max_workers");
  auto const running = queue_.submit(graph_);
  held_.await_inside(1);
  task_graph another(graph_kernels());
  another.add(visit(0));
  EXPECT_EQ(refused_argument([&] { other.submit(another, {.after = running}); }), "after");
  held_.open();
  running.wait();
  queue_.close();
  EXPECT_EQ(visits_.read()[0], 0u);
}

/// Counts allocations.
class counting_device final : public noting_device {
 public:
  using noting_device::noting_device;
  int allocations() const { return allocations_; }

 protected:
  void* allocate_bytes(memory where, std::size_t bytes) override {
    ++allocations_;
    return noting_device::allocate_bytes(where, bytes);
  }

 private:
  std::atomic<int> allocations_ = 0;
};

TEST(graph_plans, for_other_numbers_of_workers_take_the_memory_that_is_there) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "the wrapped device is made of cores";
  std::uint32_t const nodes = 30;
  auto const device = std::make_shared<counting_device>(open_devices("host:2").front());
  counted_words const visits(device, nodes);
  task_graph graph(graph_kernels());
  std::optional<graph_task> last;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    graph_task_options options{.after = {}, .cost = double(i % 5)};
    if (last && i % 3 != 0) options.after = {*last};
    last = graph.add(task(count_visit{visits.ref()}, {i, 1}), options);
  }
  task_queue queue(device, graph_kernels(), test_options(*device));
  queue.submit(graph);
  auto const allocations = device->allocations();
  std::uint32_t rounds = 1;
  for (std::uint32_t const limit : {1u, 0u, 2u, 1u, 1u, 0u}) {
    graph.set(*last, count_visit{visits.ref()});
    queue.submit(graph, {.max_workers = limit});
    ++rounds;
  }
  queue.close();
  EXPECT_EQ(device->allocations(), allocations);
  EXPECT_EQ(visits.read(), numbers(nodes, rounds));
}

}  // namespace
}  // namespace ballast::test
