// SPDX-License-Identifier: Apache-2.0
// Pools whose kernels have an order_key(): in what order their tasks run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"
#include "captured_log.hpp"
#include "pool_device.hpp"
#include "pool_executor.hpp"
#include "ranked_kernels.cuh"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;

/// At most as BALLAST_TEST_TASKS says (from 100 on).
std::uint32_t nodes() {
  constexpr std::uint32_t usual = sanitized ? 2'000 : 20'000;
  auto const most = environment("BALLAST_TEST_TASKS");
  return most ? std::min(usual, std::uint32_t(std::stoul(*most))) : usual;
}

enum class children { tasks, blocks_of_one };

/// A ranked_tree on a device, by default that of the tests, and in which order its nodes have run.
class ranked {
 public:
  explicit ranked(std::uint32_t spread, std::uint32_t of_nodes = nodes(), std::uint32_t first = 0,
                  std::shared_ptr<compute_device> const& on = device(), children as = children::tasks)
      : spread_(spread), ranks_(of_nodes, first), on_(on->make_stream()), order_(on, of_nodes), run_(on, 1) {
    for (std::uint32_t node = 1; node < of_nodes; ++node) {
      auto const parent = (node - 1) / 4;
      ranks_[node] = ranks_[parent] + tree().step_to(as == children::tasks ? node : 4 * parent + 1);
    }
    on_->fill(run_.data(), 0, run_.bytes());
    on_->synchronize();
  }

  template <int Threads = 32>
  task root() const {
    return task(ranked_node<Threads>{tree(), 0, ranks_[0]});
  }
  task root_of_families() const { return task(ranked_family{tree(), ranks_[0]}); }
  task node(std::uint32_t which) const { return task(ranked_node<32>{tree(), which, ranks_[which]}); }
  /// A task without children.
  task leaf(std::uint32_t node, std::uint32_t rank) const {
    auto of = tree();
    of.nodes = 0;
    return task(ranked_node<32>{of, node, rank});
  }
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> nodes_run(order_.size());
    on_->copy(nodes_run.data(), order_.data(), order_.bytes());
    on_->synchronize();
    return nodes_run;
  }
  void expect_each_once(pool_statistics const& of) const {
    EXPECT_EQ(of.run, order_.size());
    expect_each_once();
  }
  void expect_each_once() const {
    auto nodes_run = order();
    std::ranges::sort(nodes_run);
    std::vector<std::uint32_t> all(ranks_.size());
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_TRUE(nodes_run == all);
  }
  /// How many tasks ran while a better one was there.
  std::size_t out_of_order(std::vector<std::uint32_t> const& roots = {0}) const {
    std::multiset<std::uint32_t> there;
    for (auto const node : roots) there.insert(ranks_[node]);
    std::size_t count = 0;
    auto all = order();
    all.resize(all.size() - roots.front());  // the nodes before the roots do not run
    for (auto const node : all) {
      if (ranks_[node] != *there.begin()) ++count;
      if (auto const one = there.find(ranks_[node]); one != there.end()) there.erase(one);
      for (auto child = 4 * node + 1; child <= 4 * node + 4 && child < ranks_.size(); ++child)
        there.insert(ranks_[child]);
    }
    return count;
  }

 private:
  ranked_tree tree() const {
    return {array_ref(order_.data()), array_ref(run_.data()), std::uint32_t(ranks_.size()), spread_};
  }

  std::uint32_t spread_;
  std::vector<std::uint32_t> ranks_;
  std::unique_ptr<stream> on_;
  mutable device_buffer<std::uint32_t> order_, run_;
};

/// At least as many blocks as a GPU allows.
pool_options of_blocks(int blocks, std::uint32_t capacity = 1u << 16) {
  auto options = pool_by("bands", capacity);
  options.resident.blocks = device()->is_cuda() ? std::max(blocks, 2) : blocks;
  return options;
}

/// A pool by keys on the device of the tests, of the fewest workers that it allows or of more.
task_pool pool_of_few(std::uint32_t capacity = 1u << 16, int more = 0) {
  return task_pool(device(), ranked_kernels_of_warps(),
                   of_blocks((device()->is_cuda() ? 2 : 1) + more, capacity));
}

/// One worker alone has the exact order, and a GPU has two at least.
std::shared_ptr<compute_device> one_core() {
  static auto const core = open_devices("host:1").front();
  return core;
}
task_pool pool_of_one() {
  pool_options options;
  options.capacity = 1u << 16;
  return task_pool(one_core(), ranked_kernels_of_warps(), options);
}
ranked ranked_on_one_core(std::uint32_t spread, std::uint32_t of_nodes = nodes()) {
  return ranked(spread, of_nodes, 0, one_core());
}

TEST(pool_by_key, is_the_default_on_the_cores_of_one_device_where_a_kernel_has_a_key) {
  device_capabilities cores, gpu;
  cores.runs_on_cores = true;
  EXPECT_EQ(default_method(ranked_kernels_of_warps(), 1, cores), "bands");
  EXPECT_EQ(default_method(ranked_kernels_of_warps(), 2, cores), "chunks");
  EXPECT_EQ(default_method(ranked_kernels_of_warps(), 1, gpu), "chunks");
  EXPECT_EQ(default_method(kernels_of_the_default_method(), 1, cores), "chunks");
}

TEST(pool_by_key, is_the_method_of_a_pool_by_default_or_by_name) {
  EXPECT_EQ(pool_of_one().method(), "bands");
  EXPECT_EQ(pool_of_few().method(), "bands");
  EXPECT_EQ(task_pool(device(), ranked_kernels_of_warps()).method(),
            device()->is_cuda() ? "chunks" : "bands");
  EXPECT_EQ(task_pool(pool_devices(2), ranked_kernels_over_devices()).method(), "chunks");
}

TEST(pool_by_key, runs_each_task_once_by_several_workers) {
  for (std::uint32_t const spread : {1u, 3u, 40u, 5000u}) {
    SCOPED_TRACE(spread);
    ranked const tree(spread);
    task_pool pool(device(), ranked_kernels_of_warps(), pool_by("bands"));
    tree.expect_each_once(pool.run(tree.root()));
  }
}

/// On cores as many as there are workers, which may be fewer than that.
std::shared_ptr<compute_device> device_of(int workers) {
  return device()->is_cuda() ? device() : open_devices("host:" + std::to_string(workers)).front();
}

TEST(pool_by_key, runs_each_task_once_by_more_than_two_workers) {
  for (int const workers : {3, 5, 9})
    for (std::uint32_t const spread : {1u, 40u, 5000u}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, spread " + std::to_string(spread));
      ranked const tree(spread);
      task_pool pool(device_of(workers), ranked_kernels_of_warps(), of_blocks(workers));
      tree.expect_each_once(pool.run(tree.root()));
    }
}

TEST(pool_by_key, runs_each_block_of_its_tasks_once) {
  for (int const workers : {1, 2, 5})
    for (std::uint32_t const spread : {1u, 40u, 5000u})
      for (std::uint32_t const capacity : {64u, 1u << 16}) {
        SCOPED_TRACE(std::to_string(workers) + " workers, spread " + std::to_string(spread) + ", capacity " +
                     std::to_string(capacity));
        ranked const tree(spread, nodes(), 0, device_of(workers), children::blocks_of_one);
        task_pool pool(device_of(workers), ranked_families(), of_blocks(workers, capacity));
        (void)pool.run(tree.root_of_families());
        tree.expect_each_once();
      }
}

TEST(pool_by_key, runs_no_block_of_one_worker_while_a_better_one_is_there) {
  for (std::uint32_t const spread : {1u, 3u, 40u, 5000u}) {
    SCOPED_TRACE(spread);
    ranked const tree(spread, nodes(), 0, one_core(), children::blocks_of_one);
    pool_options options;
    options.capacity = 1u << 16;
    (void)task_pool(one_core(), ranked_families(), options).run(tree.root_of_families());
    EXPECT_EQ(tree.out_of_order(), 0u);
  }
}

TEST(pool_by_key, runs_each_task_once_where_each_thread_is_a_worker) {
  for (auto const& method : pool_methods()) {
    SCOPED_TRACE(method.name);
    ranked const tree(40);
    task_pool pool(device(), ranked_kernels_of_threads(), pool_by(method.name));
    tree.expect_each_once(pool.run(tree.root<1>()));
  }
}

TEST(pool_by_key, runs_no_task_of_one_worker_while_a_better_one_is_there) {
  for (std::uint32_t const spread : {1u, 3u, 40u, 5000u}) {
    SCOPED_TRACE(spread);
    auto pool = pool_of_one();
    for (int times = 0; times < 2; ++times) {
      auto const tree = ranked_on_one_core(spread);
      tree.expect_each_once(pool.run(tree.root()));
      EXPECT_EQ(tree.out_of_order(), 0u);
    }
  }
}

/// Keys that fall, the greatest, and steps of many windows.
TEST(pool_by_key, runs_each_task_once_whatever_its_keys_are) {
  for (int const more : {0, 1}) {
    for (std::uint32_t const spread : {0x80000000u, 0xffffffffu, 1u << 20}) {
      ranked const tree(spread, 500);
      tree.expect_each_once(pool_of_few(1u << 16, more).run(tree.root()));
    }
    ranked const tree(1, std::min(nodes(), 2'000u), 0xffffffff);
    tree.expect_each_once(pool_of_few(8, more).run(tree.root()));
  }
}

TEST(pool_by_key, counts_what_a_run_stored_and_not_the_one_before) {
  auto pool = pool_of_few();
  ranked const large(3), small(3, nodes() / 50);
  auto const stored = pool.run(large.root()).max_stored;
  EXPECT_GT(stored, nodes() / 8);
  EXPECT_LT(pool.run(small.root()).max_stored, stored / 2);
}

/// What waits on the host: roots, and what came back because there was no space.
TEST(pool_by_key, runs_tasks_that_wait_on_the_host_in_their_order) {
  constexpr std::uint32_t roots = 1000;
  auto const tree = ranked_on_one_core(1, roots);
  std::vector<task> all;
  for (std::uint32_t node = 0; node < roots; ++node) all.push_back(tree.leaf(node, mixed(node) % 300));
  pool_of_one().run(all);
  auto const order = tree.order();
  EXPECT_TRUE(std::ranges::is_sorted(order, {}, [](std::uint32_t node) { return mixed(node) % 300; }));
}

TEST(pool_by_key, compares_tasks_that_wait_on_the_host_with_those_that_were_created) {
  for (std::uint32_t const first : {1u, 5u, 21u})  // a whole level
    for (std::uint32_t const spread : {3u, 40u, 5000u}) {
      std::vector<std::uint32_t> roots(3 * first + 1);
      std::iota(roots.begin(), roots.end(), first);
      auto const tree = ranked_on_one_core(spread);
      std::vector<task> all;
      for (auto const root : roots) all.push_back(tree.node(root));
      pool_of_one().run(all);
      EXPECT_EQ(tree.out_of_order(roots), 0u) << spread << ", " << roots.size() << " roots";
    }
}

TEST(pool_by_key, runs_each_task_once_where_too_little_room_sends_them_through_the_host_and_says_so) {
  ranked const tree(40, std::clamp(nodes(), 1'000u, 4'000u));
  auto pool = pool_of_few(16);
  captured_log const log;
  auto const ran = pool.run(tree.root());
  tree.expect_each_once(ran);
  EXPECT_GT(ran.launches, 2u);
  EXPECT_GT(ran.spilled, 0u);
  EXPECT_THAT(log.lines(), HasSubstr("through the host, which is slow; pool_options::capacity is 16"));
  EXPECT_EQ(log.lines().find("through the host"), log.lines().rfind("through the host"));
}

TEST(pool_by_key, runs_each_task_once_though_it_is_stopped_again_and_again) {
  ranked const tree(40);
  task_pool pool(device(), ranked_kernels_of_warps(), pool_by("bands"));
  std::atomic<bool> has_ended = false;
  std::thread stops([&] {
    while (!has_ended) {
      pool.request_stop();
      std::this_thread::yield();
    }
  });
  std::vector<task> left{tree.root()};
  pool_statistics all;
  while (!left.empty()) {
    try {
      all.run += pool.run(left).run;
      left.clear();
    } catch (pool_stopped const& stopped) {
      all.run += stopped.statistics().run;
      left = stopped.unexecuted();
    }
  }
  has_ended = true;
  stops.join();
  tree.expect_each_once(all);
}

}  // namespace
}  // namespace ballast::test
