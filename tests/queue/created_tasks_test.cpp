// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_queue.hpp"
#include "test_devices.hpp"
#include "twig_kernels.cuh"

namespace ballast::test {
namespace {

constexpr std::uint32_t levels = 14, nodes = (2u << levels) - 1;

/// Of the tree that a task is the root of.
std::uint32_t nodes_below(task const& root) { return (2u << root.arguments().words()[0]) - 1; }
std::uint32_t nodes_below(detail::created_task const& root) { return (2u << root.record.data[0]) - 1; }

// Each part of the tree that leaves is submitted again as a tree of its own.
TEST(created_tasks, that_were_asked_for_leave_and_are_counted_no_more) {
  for (auto const& device : test_devices()) {
    pinned_buffer<std::uint32_t> count(device, 1);
    count[0] = 0;
    task_queue queue(device, twig_kernels());
    std::vector<std::uint32_t> trees{levels};
    std::uint32_t handed_out = 0;
    for (; !trees.empty(); trees.pop_back()) {
      auto const before = std::atomic_ref(count[0]).load();
      if (handed_out == 0) queue.ask_for_created(5);  // a small tree may end before the host asks
      auto const end = queue.submit(task(twig{trees.back(), count.data()}));
      std::uint32_t away = 0;
      auto const take = [&] {
        for (auto const& one : queue.take_created()) {
          EXPECT_EQ(one.record.kernel(), 0u);
          EXPECT_EQ(one.batch, end.work().first);
          EXPECT_EQ(one.ring, end.work().place);
          away += nodes_below(one);
          trees.insert(trees.begin(), one.record.data[0]);
          ++handed_out;
        }
      };
      while (!end.ready()) {
        if (handed_out < 200) queue.ask_for_created(5);
        take();
      }
      take();
      EXPECT_EQ(std::atomic_ref(count[0]).load() - before + away,
                nodes_below(task(twig{trees.back(), nullptr})));
    }
    EXPECT_EQ(count[0], nodes);
    EXPECT_GT(handed_out, 0u);
    queue.stop();
  }
}

TEST(created_tasks, that_do_not_travel_stay) {
  for (auto const& device : test_devices()) {
    pinned_buffer<std::uint32_t> count(device, 1);
    count[0] = 0;
    task_queue queue(device, twig_kernels());
    queue.ask_for_created(1000);
    queue.submit(task(rooted_twig{levels, count.data()})).wait();
    EXPECT_TRUE(queue.take_created().empty());
    EXPECT_EQ(count[0], nodes);
    queue.close();
  }
}

TEST(created_tasks, that_nobody_took_are_returned_by_a_stop_and_refused_by_a_close) {
  for (auto const& device : test_devices()) {
    pinned_buffer<std::uint32_t> count(device, 1);
    count[0] = 0;
    task_queue queue(device, twig_kernels());
    queue.ask_for_created(20);
    auto const end = queue.submit(task(twig{levels, count.data()}));
    end.wait();
    std::uint32_t away = 0;
    for (auto const& one : queue.stop()) away += nodes_below(one);
    EXPECT_EQ(count[0] + away, nodes);
    EXPECT_GT(away, 0u);
    queue.start();
    EXPECT_TRUE(queue.take_created().empty());
    queue.ask_for_created(20);
    queue.submit(task(twig{levels, count.data()})).wait();
    EXPECT_THROW(queue.close(), error);
  }
}

TEST(created_tasks, of_a_balanced_queue_are_there_before_their_batch_is_seen_to_have_run) {
  pinned_buffer<std::uint32_t> count(test_devices().front(), 1);
  count[0] = 0;
  balanced_queue queue(test_devices(), twig_kernels());
  for (std::uint32_t round = 0; round < 20; ++round) {
    auto const before = count[0];
    for (std::size_t i = 0; i < queue.size(); ++i) queue.on(i).ask_for_created(10);
    auto const end = queue.submit(task(twig{levels, count.data()}));
    end.wait();
    std::uint32_t away = 0;
    for (auto const& one : queue.take_created()) {
      EXPECT_EQ(one.batch, end.work().first);
      away += nodes_below(one);
    }
    EXPECT_EQ(count[0] - before + away, nodes);
  }
  queue.close();
}

}  // namespace
}  // namespace ballast::test
