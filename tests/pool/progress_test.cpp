// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "forked_child.hpp"
#include "pool_device.hpp"
#include "sanitized.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// pool_by() may give the blocks of a GPU.
pool_options all_of_a_core(std::string const& method) {
  auto options = pool_by(method);
  options.resident.blocks = 0;
  return options;
}

/// Runs the roots on one core in another thread, where the gated task is held until the object goes.
class held_run {
 public:
  explicit held_run(std::string const& method, std::vector<std::string> const& roots)
      : pool(open_devices("host:1").front(), gated_kernels(), all_of_a_core(method)) {
    for (auto const& root : roots)
      roots_.push_back(root == "gated" ? task(gated{array_ref(&running_), array_ref(&gate_)})
                                       : task(idler{}));
    pool.run(task(idler{}));  // which does not count any more
    thread_ = std::thread([this] { statistics = pool.run(roots_); });
    while (std::atomic_ref(running_).load() == 0) std::this_thread::yield();
  }
  void end() {
    std::atomic_ref(gate_).store(1);
    thread_.join();
  }

 private:
  std::uint32_t running_ = 0, gate_ = 0;
  std::vector<task> roots_;
  std::thread thread_;

 public:
  pool_statistics statistics;
  task_pool pool;
};

TEST(progress_of_a_pool, counts_on_cores_what_has_run_and_what_waits_behind_a_task_that_is_held) {
  held_run held("chunks", {"idler", "gated", "idler", "idler"});  // the last is taken first
  auto const now = held.pool.progress();
  EXPECT_EQ(now.submitted, 4u);
  EXPECT_EQ(now.done, 2u);
  EXPECT_EQ(now.waiting, 1u);
  EXPECT_EQ(now.busy, 1.0);
  EXPECT_TRUE(now.devices.empty());
  held.end();
  auto const ended = held.pool.progress();
  EXPECT_EQ(ended.submitted, 5u) << "the held task has created one";
  EXPECT_EQ(ended.done, 5u);
  EXPECT_EQ(ended.waiting, 0u);
  EXPECT_EQ(ended.busy, 0.0);
}

TEST(progress_of_a_pool, has_with_every_method_a_task_that_is_held_and_all_at_the_end) {
  for (auto const& method : pool_methods()) {
    SCOPED_TRACE(method.name);
    held_run held(std::string(method.name), {"gated"});
    auto const now = held.pool.progress();
    EXPECT_EQ(now.submitted, 1u);
    EXPECT_EQ(now.done, 0u);
    EXPECT_EQ(now.busy, 1.0);
    held.end();
    EXPECT_EQ(held.pool.progress().done, held.statistics.run);
    EXPECT_EQ(held.pool.progress().submitted, held.statistics.created);
    EXPECT_EQ(held.pool.progress().busy, 0.0);
  }
}

/// Reads again and again while `work` goes on.
template <class Work>
void read_during(task_pool& pool, std::uint64_t most, Work const& work) {
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    while (!is_over) {
      auto const now = pool.progress();
      EXPECT_LE(now.done + now.waiting, now.submitted);
      EXPECT_LE(now.done, most);
      EXPECT_GE(now.busy, 0);
      EXPECT_LE(now.busy, 1);
    }
  });
  work();
  is_over = true;
  reader.join();
}

TEST(progress_of_a_pool, is_read_while_runs_begin_send_tasks_through_the_host_and_end) {
  constexpr std::uint32_t nodes = sanitized ? 2'000 : 20'000;
  device_buffer<std::uint32_t> times(device(), nodes);
  for (auto const& method : pool_methods()) {
    task_pool pool(device(), tree_kernels_of_blocks(), pool_by(method.name, 8));
    read_during(pool, nodes, [&] {
      for (int i = 0; i < 5; ++i) {
        auto const ran = pool.run(task(tree_node<64>{array_ref(times.data()), 0, nodes, tree_shape::binary}));
        EXPECT_EQ(pool.progress().done, ran.run) << method.name;
        EXPECT_EQ(pool.progress().submitted, ran.created) << method.name;
      }
    });
  }
}

TEST(progress_of_a_pool, over_two_devices_has_each_of_them) {
  constexpr std::uint32_t nodes = 2'000;
  auto const both = pool_devices(2);
  pinned_buffer<std::uint32_t> times(both.front(), nodes);
  task_pool pool(both, tree_kernels_of_blocks(), pool_by("chunks"));
  auto const ran = pool.run(task(tree_node<64>{array_ref(times.data()), 0, nodes, tree_shape::binary}));
  auto const now = pool.progress();
  ASSERT_EQ(now.devices.size(), 2u);
  EXPECT_EQ(now.done, ran.run);
  EXPECT_EQ(now.devices[0].done + now.devices[1].done, ran.run);
}

TEST(progress_of_a_pool, is_refused_to_a_child_made_by_fork) {
  if (sanitized || device()->is_cuda()) GTEST_SKIP() << "no threads, or no CUDA, in such a child";
  task_pool pool(device(), kernels_of_the_default_method(), pool_by("chunks"));
  EXPECT_EQ(end_of_child([&] { return is_refused_after_fork([&] { pool.progress(); }, "progress()"); }),
            well);
}

}  // namespace
}  // namespace ballast::test
