// SPDX-License-Identifier: Apache-2.0
// Graphs whose features come together in any order: stops, limits, grids, prepare(), costs, rings, traces.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_graph.hpp"
#include "ballast/trace.hpp"
#include "fixture.hpp"
#include "graph_kernels.cuh"

namespace ballast::test::graph_mixes_test {
namespace {

using numbers = std::vector<std::uint32_t>;

/// Tasks and grids, each of which counts its visits in words of its own, after all tasks that it needs.
struct any_graph {
  explicit any_graph(std::mt19937& random) : random(&random) {
    for (auto tasks = 1 + below(most_tasks); tasks > 0; --tasks) add();
  }

  void set_any() {
    auto const which = below(std::uint32_t(names.size()));
    graph.set(names[which], kernel(which));
  }
  numbers visits() const { return visited.read(); }

  static constexpr std::uint32_t most_tasks = 40, most_blocks = 12;
  task_graph graph{graph_kernels()};
  enum : std::uint32_t { unused, of_task, of_grid };
  numbers uses = numbers(most_tasks * most_blocks, unused);  ///< of each word

  std::uint32_t below(std::uint32_t limit) { return std::uint32_t((*random)() % limit); }
  prepare_and_visit kernel(std::uint32_t i) const { return {visited.ref(), i * most_blocks}; }
  void add() {
    auto const i = std::uint32_t(names.size());
    auto const blocks = below(4) == 0 ? 2 + below(most_blocks - 1) : 1;
    std::fill_n(uses.begin() + i * most_blocks, blocks, blocks > 1 ? of_grid : of_task);
    graph_task_options options{.after = {}, .cost = double(below(3))};
    for (auto edges = below(4); i > 0 && edges > 0; --edges) options.after.push_back(names[below(i)]);
    task const one(kernel(i), {i * most_blocks, blocks});
    names.push_back(graph.add(blocks > 1 ? grid_task(one) : one, options));
  }

  std::mt19937* random;
  counted_words visited{first_device(), std::size_t(most_tasks) * most_blocks};
  std::vector<graph_task> names;
};

/// Checks that a submission ran each block once; those of a grid perhaps again if a stop cut it.
void expect_one_more(any_graph const& of, numbers const& before, bool was_cut, std::uint32_t seed) {
  auto const now = of.visits();
  for (std::uint32_t word = 0; word < now.size(); ++word) {
    auto const least = before[word] + (of.uses[word] == any_graph::unused ? 0 : 1);
    bool const may_run_again = was_cut && of.uses[word] == any_graph::of_grid;
    EXPECT_TRUE(now[word] == least || (now[word] > least && may_run_again)) << word << " of " << seed;
  }
}

bool ended_well(completion const& one) {
  try {
    one.wait();
    return true;
  } catch (stopped const&) { return false; }
}

TEST(graph_mixes, run_each_task_once_for_each_submission_over_stops) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    recorder all({"first"});
    any_graph any(random);
    auto const device = first_device()->is_cuda() ? first_device() : open_devices("host:4").front();
    auto options = test_options();
    options.start_at_once = false;
    if (!device->is_cuda()) options.capacity = seed % 3 == 0 ? 2 : 64;
    if (seed % 2 == 0) options.trace_to = &all;
    task_queue queue(device, graph_kernels(), options);
    any.graph.plan(queue);
    queue.start();
    for (int step = 0; step < 8; ++step) {
      auto const before = any.visits();
      if (random() % 4 == 0) any.set_any();
      auto done = queue.submit(any.graph, {.max_workers = std::uint32_t(random() % 3)});
      bool was_cut = false;
      for (auto stops = random() % 3; stops > 0; --stops) {
        for (auto looks = random() % 300; looks > 0 && !done.ready(); --looks) std::this_thread::yield();
        EXPECT_TRUE(queue.stop().empty());
        queue.start();
        if (ended_well(done)) break;
        was_cut = true;
        done = queue.submit(any.graph, {.max_workers = std::uint32_t(random() % 3)});
      }
      done.wait();
      expect_one_more(any, before, was_cut, seed);
    }
    queue.close();
  }
}

TEST(graph_mixes, of_a_balanced_queue_run_each_task_once_for_each_submission_over_stops) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a graph's memory comes while the queue is closed";
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    any_graph any(random), other(random);
    balanced_queue queue(open_devices("host:1,host:2"), graph_kernels(), {.queue = test_options()});
    for (int step = 0; step < 6; ++step) {
      auto const before = any.visits();
      queue.submit(other.graph);
      auto done = queue.submit(any.graph);
      bool was_cut = false;
      if (random() % 2 == 0) {
        EXPECT_TRUE(queue.stop().empty());
        queue.start();
        was_cut = !ended_well(done);
        if (was_cut) queue.submit(any.graph);
      }
      queue.wait_all();
      expect_one_more(any, before, was_cut, seed);
    }
  }
}

}  // namespace
}  // namespace ballast::test::graph_mixes_test
